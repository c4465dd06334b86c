// The live drawings: plain functions first, `render({ model, el })` last. No imports, no network, and no
// natural language: every shown word comes in with the model. Used alike by anywidget and by a page without kernel.

export const OPERATIONS = ["expand", "repeat"];
export const UNITS = ["bytes", "elements"];

// One mark per address, the same shapes in the same order as the static pictures.
export const SHAPES = [
  polygon(24),
  polygon(3),
  polygon(4, 45),
  polygon(4),
  polygon(3, 180),
  "M-1.8-5.5h3.6v3.7h3.7v3.6h-3.7v3.7h-3.6v-3.7h-3.7v-3.6h3.7z",
  "M-5.3-2.6l2.7-2.7 2.6 2.7 2.6-2.7 2.7 2.7-2.7 2.6 2.7 2.6-2.7 2.7-2.6-2.7-2.6 2.7-2.7-2.7 2.7-2.6z",
  polygon(10, 0, [6.5, 2.6]),
  polygon(5),
  polygon(6),
  polygon(3, 270),
  polygon(3, 90),
];
export const FILLS = ["full", "none", "left", "right"];

function polygon(corners, turn = 0, radii = [corners === 24 ? 5 : 6]) {
  const points = Array.from({ length: corners }, (_, k) => {
    const angle = ((turn + (360 * k) / corners - 90) * Math.PI) / 180;
    const radius = radii[k % radii.length];
    return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
  });
  return `M${points.join("L")}Z`;
}

/** Which address each element has, and which elements share the highlighted one. */
export function addresses({ rows, cols, itemsize, operation, unit, highlight }) {
  // An axis of length 1 is not expanded: it keeps its stride, as in torch.
  const expanded = operation === "expand" && rows > 1;
  const stridesBytes = [expanded ? 0 : cols * itemsize, itemsize];
  const stridesElements = stridesBytes.map((step) => step / itemsize);
  const [down, across] = unit === "elements" ? stridesElements : stridesBytes;
  const offsetsBytes = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: cols }, (_, j) => i * stridesBytes[0] + j * stridesBytes[1]),
  );
  const starts = [...new Set(offsetsBytes.flat())].sort((a, b) => a - b);
  const [row, col] = highlight;
  const here = offsetsBytes[row][col];
  const readers = [];
  offsetsBytes.forEach((line, i) => line.forEach((byte, j) => byte === here && readers.push([i, j])));
  const result = row * down + col * across;
  return {
    stridesBytes,
    stridesElements,
    offsetsBytes,
    offsets: offsetsBytes.map((line) => line.map((byte) => (unit === "elements" ? byte / itemsize : byte))),
    starts,
    here,
    readers,
    formula: `i×${down} + j×${across}`,
    worked: `${row}×${down} + ${col}×${across} = ${result}${unit === "bytes" ? " B" : ""}`,
    logicalBytes: rows * cols * itemsize,
    touchedBytes: starts.length * itemsize,
    storedBytes: starts.at(-1) + itemsize,
  };
}

/** The text of the values 1, 2, 3 … in an element type; truth values take turns. */
export function valueText(number, dtype) {
  if (dtype === "bool") return number % 2 ? "True" : "False";
  if (dtype.startsWith("complex")) return `${number}+0j`;
  return dtype.startsWith("int") ? `${number}` : `${number}.0`;
}

/** Shape and fill of the mark of an address, given its rank among all addresses. */
export function markOf(rank) {
  return { shape: SHAPES[rank % SHAPES.length], fill: FILLS[Math.floor(rank / SHAPES.length)] };
}

/** What was marked against what reads the same bytes: right, missed and extra cells, as "i,j". */
export function compareMarks(marks, readers, target) {
  const marked = new Set(marks);
  const others = readers.map(String).filter((cell) => cell !== String(target));
  return {
    right: others.filter((cell) => marked.has(cell)),
    missed: others.filter((cell) => !marked.has(cell)),
    extra: [...marked].filter((cell) => !others.includes(cell)),
  };
}

/** The mission: twelve elements on exactly six addresses. */
export function missionDone({ rows, cols }, { starts }) {
  return rows * cols === 12 && starts.length === 6;
}

/** Which element boundaries carry a number: start, end of storage, end of scale, and regular ones between. */
export function numbered({ rows, cols }, stored, slot, room) {
  const total = rows * cols;
  const kept = [...new Set([0, stored, total])];
  const counts = Array.from({ length: total }, (_, k) => k + 1);
  const every = counts.find((k) => k * slot >= room && (cols % k === 0 || k % cols === 0)) ?? total;
  for (let at = every; at < total; at += every) {
    // The last number ends at its tick instead of standing around it, so it needs more room.
    if (kept.every((other) => Math.abs(at - other) * slot >= (other === total ? 1.4 * room : room))) kept.push(at);
  }
  return kept.sort((a, b) => a - b);
}

export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function escape(text) {
  return String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function tag(name, attributes, ...children) {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`);
  return `<${name}${written.join("")}>${children.flat().join("")}</${name}>`;
}

function text(x, y, name, words, attributes = {}) {
  return tag("text", { x, y, class: name, ...attributes }, escape(words));
}

// Below this many pixels a cell stacks mark, value and offset instead of setting them side by side.
const NARROW = 96;

/** Where everything stands in a drawing `width` pixels wide. */
export function geometry({ rows, cols }, width) {
  const left = 42;
  const cell = Math.min(190, (width - left - 4) / cols);
  const tall = cell < NARROW ? 58 : rows > 5 ? 40 : 46;
  const stripTop = 26 + rows * tall + 44;
  const slot = (width - left - 8) / (rows * cols);
  return { left, cell, tall, top: 26, stripTop, stripTall: 40, slot, height: stripTop + 74, width };
}

function mark(rank, x, y, id, scale = 1) {
  const { shape, fill: style } = markOf(rank);
  const paint = { full: "currentColor", none: "none", left: `url(#${id}-left)`, right: `url(#${id}-right)` }[style];
  const place = `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale})`;
  return tag("path", { class: "zs-mark", d: shape, fill: paint, transform: place });
}

function halves(id) {
  const stop = (offset, opacity) => tag("stop", { offset, "stop-color": "currentColor", "stop-opacity": opacity });
  const half = (name, first, second) =>
    tag("linearGradient", { id: `${id}-${name}` }, stop(0.5, first), stop(0.5, second));
  return tag("defs", { class: "zs-mark" }, half("left", 1, 0), half("right", 0, 1));
}

function gridCell(i, j, seen, value, at, id) {
  const { left, cell, tall, top } = at;
  const [x, y, wide, high] = [left + j * cell, top + i * tall, cell - 6, tall - 6];
  const box = { width: wide, height: high, rx: 6 };
  const size = cell < NARROW ? " zs-small" : "";
  return tag(
    "g",
    { class: `zs-cell${size}`, role: "gridcell", tabindex: -1, "data-cell": `${i},${j}`, transform: `translate(${x} ${y})` },
    tag("rect", { class: "zs-face", ...box }),
    tag("rect", { class: "zs-ring", x: 4.5, y: 4.5, width: wide - 9, height: high - 9, rx: 3 }),
    mark(seen.starts.indexOf(seen.offsetsBytes[i][j]), 13, 12, id, size ? 0.8 : 1),
    text(wide / 2 - (size ? 0 : 5), high / 2 + 6, "zs-value", value),
    text(wide - 7, high - 6, "zs-offset", seen.offsets[i][j]),
    text(wide - 7, 15, "zs-sign", ""),
  );
}

function grid(state, seen, values, words, at, id) {
  const { left, cell, tall, top } = at;
  const head = values.map((_, j) => text(left + j * cell + cell / 2 - 3, top - 9, "zs-axis", `j=${j}`));
  const lines = seen.offsetsBytes.map((line, i) =>
    tag("g", { role: "row" }, line.map((_, j) => gridCell(i, j, seen, values[j], at, id))),
  );
  const side = lines.map((_, i) => text(left - 10, top + i * tall + tall / 2 + 2, "zs-axis zs-end", `i=${i}`));
  return [
    tag("g", { "aria-hidden": "true" }, head, side),
    tag("g", { role: "grid", "aria-label": words.grid, "aria-rowcount": state.rows, "aria-colcount": state.cols }, lines),
  ];
}

function strip(state, seen, values, at, id) {
  const { left, stripTop: top, stripTall: high, slot } = at;
  const stored = seen.storedBytes / state.itemsize;
  const total = state.rows * state.cols;
  const cells = seen.starts.map((byte, rank) => {
    const x = left + (byte / state.itemsize) * slot;
    const value = values[(byte / state.itemsize) % state.cols];
    const roomy = slot > 9 * value.length + 6;
    return tag(
      "g",
      { class: "zs-slot", "data-byte": byte },
      tag("rect", { class: "zs-face", x: x + 0.75, y: top, width: Math.max(slot - 1.5, 2), height: high }),
      slot > 12 ? mark(rank, x + slot / 2, top + (roomy ? 11 : high / 2), id, slot > 17 ? 0.9 : 0.7) : "",
      roomy ? text(x + slot / 2, top + high - 8, "zs-stored", value) : "",
    );
  });
  const [from, to] = [left + stored * slot, left + total * slot];
  const empty = { class: "zs-empty", x: from + 1, y: top + 0.5, width: to - from - 1, height: high - 1 };
  return tag("g", { "aria-hidden": "true" }, to > from + 1 ? tag("rect", empty) : "", cells);
}

function ruler(state, seen, at) {
  const { left, stripTop, stripTall, slot } = at;
  const [y, total] = [stripTop + stripTall + 6, state.rows * state.cols];
  const bytes = state.unit === "bytes";
  const size = bytes ? state.itemsize : 1;
  const room = 16 + 8 * String(total * size).length + (bytes ? 8 : 0);
  const labels = numbered(state, seen.storedBytes / state.itemsize, slot, room);
  const tick = (k) => {
    const [x, long] = [left + k * slot, labels.includes(k)];
    return tag("line", { class: "zs-tick", x1: x, x2: x, y1: y, y2: y + (long ? 8 : 4) });
  };
  const label = (k) => {
    const name = `zs-axis${k === total ? " zs-end" : ""}`;
    const x = left + k * slot + (k === total ? 6 : 0);
    return text(x, y + 23, name, `${k * size}${bytes && k === total ? " B" : ""}`);
  };
  const ticks = Array.from({ length: total + 1 }, (_, k) => tick(k));
  const base = tag("line", { class: "zs-tick", x1: left, x2: left + total * slot, y1: y, y2: y });
  return tag("g", { "aria-hidden": "true" }, base, ticks, labels.map(label));
}

/** The outline of the band from the lit cells of a column to their one storage cell. */
export function bandPath(seen, state, at) {
  const { left, cell, tall, top, stripTop, slot } = at;
  const [first] = seen.readers;
  const [west, east] = [left + first[1] * cell + 10, left + first[1] * cell + cell - 16];
  const start = top + first[0] * tall + tall / 2;
  const bottom = top + (seen.readers.at(-1)[0] + 1) * tall - 6;
  const x = left + (seen.here / state.itemsize) * slot;
  const near = top + state.rows * tall;
  const sides = `M${west} ${start}V${bottom}`;
  return `${sides}L${west} ${near}L${x + 1} ${stripTop}H${x + slot - 1}L${east} ${near}V${start}Z`;
}

export function drawing(state, seen, words, at, id) {
  const values = Array.from({ length: state.cols }, (_, j) => valueText(j + 1, state.dtype));
  return tag(
    "svg",
    {
      class: "zs-drawing",
      role: "group",
      "aria-label": fill(words.drawing, { rows: state.rows, cols: state.cols, operation: state.operation }),
      viewBox: `0 0 ${at.width} ${at.height}`,
      style: `max-width:${at.width}px`,
    },
    halves(id),
    tag("path", { class: "zs-band", d: "" }),
    grid(state, seen, values, words, at, id),
    strip(state, seen, values, at, id),
    ruler(state, seen, at),
  );
}

/** The named starting points, each legal on the sliders. */
export function presets(words) {
  const course = { rows: 4, cols: 3, dtype: "float64", operation: "expand", unit: "bytes" };
  return [
    [words.preset_expanded, course],
    [words.preset_repeated, { ...course, operation: "repeat" }],
    [words.preset_torch, { ...course, dtype: "float32", unit: "elements" }],
    [words.preset_row, { ...course, rows: 1, cols: 6 }],
    [words.preset_column, { ...course, rows: 8, cols: 1 }],
  ];
}

const pair = (numbers) => `(${numbers.join(", ")})`;
const clamp = (number, low, high) => Math.min(Math.max(number, low), high);

const STYLE = `
.zs { --zs-ink: var(--jp-content-font-color1, #1a1f27); --zs-muted: #4c5560; --zs-line: #b8c0ca; --zs-paper: #f6f8fa;
  --zs-lit: #fdeccb; --zs-edge: #b87400; --zs-lit-ink: #7a4700; --zs-focus: #0b5cad; --zs-wrong: #b3310e; --zs-back: #fff;
  color: var(--zs-ink); font: 15px/1.45 var(--jp-ui-font-family, system-ui, sans-serif); padding: 4px 0; max-width: 880px; }
[data-jp-theme-light="false"] .zs, .zs-dark .zs { --zs-ink: #f0f2f5; --zs-muted: #b6bfca; --zs-line: #59636f;
  --zs-paper: #232a32; --zs-lit: #4d3500; --zs-edge: #f0a91b; --zs-lit-ink: #ffd488; --zs-focus: #7cc4ff;
  --zs-wrong: #ff9d7e; --zs-back: #111; }
.zs-explorer .zs-dtype .widget-readout { min-width: 6.5em; }
.zs p { margin: 6px 0; } .zs-live { min-height: 2.9em; }
.zs-bar { display: flex; flex-wrap: wrap; gap: 6px; margin: 4px 0 8px; align-items: center; }
.zs button { font: inherit; font-size: 14px; color: var(--zs-ink); background: var(--zs-paper); cursor: pointer;
  border: 1px solid var(--zs-muted); border-radius: 5px; padding: 3px 9px; }
.zs button[aria-pressed="true"] { background: var(--zs-lit); border: 2px solid var(--zs-edge); padding: 2px 8px; }
.zs button[hidden] { display: none; }
.zs button:focus-visible { outline: 3px solid var(--zs-focus); outline-offset: 2px; }
.zs-head b { font-family: var(--jp-code-font-family, monospace); font-size: 19px; margin-right: .5em; }
.zs-formula { font-size: 22px; } .zs-formula b { color: var(--zs-lit-ink); }
.zs-drawing { display: block; width: 100%; height: auto; }
.zs-drawing text { fill: var(--zs-ink); text-anchor: middle; font-size: 18px; }
.zs-drawing .zs-offset, .zs-drawing .zs-sign, .zs-drawing .zs-end { text-anchor: end; }
.zs-drawing .zs-offset, .zs-drawing .zs-axis { font-size: 14px; fill: var(--zs-muted); }
.zs-drawing .zs-stored, .zs-drawing .zs-small .zs-value { font-size: 15px; }
.zs-drawing .zs-small .zs-offset { font-size: 12.5px; } .zs-drawing .zs-sign { font-size: 16px; font-weight: 700; }
.zs-mark { color: var(--zs-muted); stroke: var(--zs-muted); stroke-width: 1.4; }
.zs-face { fill: var(--zs-paper); stroke: var(--zs-line); stroke-width: 1; }
.zs-cell { cursor: pointer; outline: none; }
.zs-ring { fill: none; stroke: none; } .zs-cell:focus-visible .zs-ring { stroke: var(--zs-focus); stroke-width: 2.5; }
.zs-lit .zs-face { fill: var(--zs-lit); stroke: var(--zs-edge); stroke-width: 2.2; }
.zs-here .zs-face { stroke: var(--zs-edge); stroke-width: 4.5; }
.zs-lit .zs-mark { color: var(--zs-lit-ink); stroke: var(--zs-lit-ink); }
.zs-lit .zs-offset, .zs-lit .zs-stored { fill: var(--zs-lit-ink) !important; font-weight: 700; }
.zs-band { fill: var(--zs-lit); stroke: var(--zs-edge); stroke-width: 1; }
.zs-empty { fill: none; stroke: var(--zs-muted); stroke-dasharray: 3 4; } .zs-tick { stroke: var(--zs-muted); }
.zs-asking .zs-offset, .zs-asking .zs-mark, .zs-asking .zs-band { display: none; }
.zs-marked .zs-face { stroke: var(--zs-focus); stroke-width: 3; }
.zs-missed .zs-face { stroke-dasharray: 6 4; }
.zs-extra .zs-face { stroke: var(--zs-wrong); stroke-width: 3; } .zs-extra .zs-sign { fill: var(--zs-wrong); }
`;

// Keys belong to the explorer: JupyterLab would move its selection, insert or delete a cell. Chords stay usable.
function keepKeys(event) {
  if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
}

/** Keep keys inside the whole box, sliders included, and give slider handles the names that ipywidgets leaves out. */
function adopt(box, dtype) {
  box.addEventListener("keydown", keepKeys);
  for (const handle of box.querySelectorAll(".noUi-handle")) {
    const line = handle.closest(".jupyter-widgets");
    handle.setAttribute("aria-label", line.querySelector(".widget-label")?.textContent ?? "");
    if (line.classList.contains("zs-dtype")) handle.setAttribute("aria-valuetext", dtype);
  }
}

let views = 0;

function renderAddresses({ model, el }) {
  const words = model.get("words");
  const dtypes = model.get("dtypes");
  const id = `zs${++views}`;
  const view = { here: [2, 1], pinned: false, asking: false, revealed: false, marked: new Set(), done: false, width: 0 };
  const root = document.createElement("div");
  root.className = "zs";
  const button = (name, label) => tag("button", { type: "button", "data-do": name }, escape(label));
  root.innerHTML = [
    tag("style", {}, STYLE),
    tag("div", { class: "zs-bar" },
      presets(words).map(([label], k) => button(`preset-${k}`, label)), button("reset", words.reset)),
    tag("p", { class: "zs-head" }), tag("div", { class: "zs-place" }), tag("p", { class: "zs-formula" }),
    tag("div", { class: "zs-bar" }, button("ask", words.ask), button("reveal", words.reveal), button("next", words.next)),
    tag("p", { class: "zs-live", role: "status", "aria-live": "polite" }),
    tag("p", { class: "zs-mission" }, tag("span", {}), tag("b", { role: "status", "aria-live": "polite" })),
  ].join("");
  el.append(root);
  const part = (selector) => root.querySelector(selector);
  const cellAt = (index) => part(`[data-cell="${index}"]`);
  let state, seen, at;

  function read() {
    const [dtype, itemsize] = dtypes[model.get("dtype")];
    const [operation, unit] = [OPERATIONS[model.get("operation")], UNITS[model.get("unit")]];
    return { rows: model.get("rows"), cols: model.get("cols"), dtype, itemsize, operation, unit };
  }

  function draw() {
    state = read();
    const held = root.contains(document.activeElement) && document.activeElement.dataset.cell;
    const inside = ([i, j]) => [clamp(i, 0, state.rows - 1), clamp(j, 0, state.cols - 1)];
    view.here = inside(view.here);
    view.marked.clear();
    view.revealed = false;
    seen = addresses({ ...state, highlight: view.here });
    at = geometry(state, view.width || 860);
    part(".zs-place").innerHTML = drawing(state, seen, words, at, id);
    const strides = fill(words.summary, {
      bytes: pair(seen.stridesBytes), elements: pair(seen.stridesElements),
      stored: seen.storedBytes, logical: seen.logicalBytes,
    });
    part(".zs-head").innerHTML = tag("b", {}, state.operation) + escape(strides.replace(/(\d) B/g, "$1\u00a0B"));
    part(".zs-place").querySelector(`[data-cell="${inside(held ? held.split(",") : view.here)}"]`).tabIndex = 0;
    light();
    mission();
    if (held) part('[tabindex="0"]').focus();
    const box = root.closest(".zs-explorer");
    if (box) adopt(box, state.dtype);
  }

  function light() {
    seen = addresses({ ...state, highlight: view.here });
    const hidden = view.asking && !view.revealed;
    const found = compareMarks(view.marked, seen.readers, view.here);
    part("svg").classList.toggle("zs-asking", hidden);
    part(".zs-band").setAttribute("d", bandPath(seen, state, at));
    for (const cell of root.querySelectorAll("[data-cell]")) paint(cell, hidden, found);
    for (const slot of root.querySelectorAll("[data-byte]")) {
      const lit = !hidden && Number(slot.dataset.byte) === seen.here;
      slot.setAttribute("class", `zs-slot${lit ? " zs-lit zs-here" : ""}`);
    }
    const formula = tag("span", {}, escape(seen.formula));
    part(".zs-formula").innerHTML = hidden ? formula : `${formula} → ${tag("b", {}, escape(seen.worked))}`;
    part(".zs-live").textContent = hidden ? asked() : view.revealed ? answered(found) : told();
    part('[data-do="ask"]').setAttribute("aria-pressed", view.asking);
    part('[data-do="reveal"]').hidden = !hidden;
    part('[data-do="next"]').hidden = !view.revealed;
  }

  function paint(cell, hidden, found) {
    const name = cell.dataset.cell;
    const [i, j] = name.split(",").map(Number);
    const here = name === String(view.here);
    const marked = view.asking && view.marked.has(name);
    const verdict = view.revealed ? ["right", "missed", "extra"].find((kind) => found[kind].includes(name)) : "";
    const lit = !hidden && seen.offsetsBytes[i][j] === seen.here;
    const states = { "zs-lit": lit, "zs-here": here, "zs-marked": marked && hidden, [`zs-${verdict}`]: verdict };
    for (const kind of ["zs-right", "zs-missed", "zs-extra"]) cell.classList.remove(kind);
    for (const [kind, on] of Object.entries(states)) cell.classList.toggle(kind, Boolean(on));
    const sign = { right: "✓", missed: "!", extra: "✗" }[verdict] ?? (marked ? "●" : here && view.pinned ? "◉" : "");
    cell.querySelector(".zs-sign").textContent = sign;
    cell.setAttribute("aria-selected", view.asking ? marked : here);
    const values = { i, j, value: valueText(j + 1, state.dtype), offset: seen.offsets[i][j] };
    const verdicts = { right: words.cell_right, missed: words.cell_missed, extra: words.cell_extra };
    const label = fill(hidden ? words.cell_hidden : words.cell, values);
    cell.setAttribute("aria-label", verdict ? label + words.comma + verdicts[verdict] : label);
  }

  const index = () => ({ i: view.here[0], j: view.here[1] });
  const asked = () => fill(words.ask_how, { ...index(), count: view.marked.size });
  const answered = ({ right, missed, extra }) =>
    fill(missed.length || extra.length ? words.result : words.result_right,
      { ...index(), right: right.length, missed: missed.length, extra: extra.length });

  function told() {
    const others = seen.readers.filter((cell) => String(cell) !== String(view.here)).map(pair);
    const shared = others.length ? fill(words.same, { cells: others.join(words.comma) }) : words.alone;
    const sentences = [fill(words.element, { ...index(), worked: seen.worked }), shared];
    return [...sentences, ...(view.pinned ? [words.pinned] : [])].join(words.space);
  }

  function mission() {
    if (missionDone(state, seen)) view.done = true;
    const counts = fill(words.mission_now, { elements: state.rows * state.cols, addresses: seen.starts.length });
    part(".zs-mission span").textContent = `${view.done ? "✓" : "○"} ${words.mission}${words.space}${counts} `;
    const done = view.done ? words.mission_done : "";
    if (part(".zs-mission b").textContent !== done) part(".zs-mission b").textContent = done;
  }

  function point(cell) {
    const next = cell.dataset.cell.split(",").map(Number);
    if (view.pinned || view.asking || String(next) === String(view.here)) return;
    view.here = next;
    light();
  }

  function press(cell) {
    const name = cell.dataset.cell;
    if (view.asking) {
      if (view.revealed || name === String(view.here)) return;
      if (!view.marked.delete(name)) view.marked.add(name);
    } else {
      view.pinned = !(view.pinned && name === String(view.here));
      view.here = name.split(",").map(Number);
    }
    light();
  }

  function walk(event) {
    const cell = event.target.closest("[data-cell]");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const [i, j] = cell.dataset.cell.split(",").map(Number);
    const last = { i: state.rows - 1, j: state.cols - 1 };
    const moves = {
      ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1],
      Home: [i, 0], End: [i, last.j],
    };
    if (event.key in moves) {
      const [row, col] = moves[event.key];
      step(cellAt([clamp(row, 0, last.i), clamp(col, 0, last.j)]));
    } else if (event.key === "Enter" || event.key === " ") press(cell);
    else if (event.key === "Escape") { view.pinned = false; point(cell); light(); }
    else return;
    event.preventDefault();
  }

  function step(cell) {
    part('[tabindex="0"]').tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
  }

  function choose(values) {
    const numbers = {
      ...values, dtype: dtypes.findIndex(([name]) => name === values.dtype),
      operation: OPERATIONS.indexOf(values.operation), unit: UNITS.indexOf(values.unit),
    };
    view.pinned = false;
    view.here = [2, 1];
    for (const [name, value] of Object.entries(numbers)) model.set(name, value);
    model.save_changes();
    draw();
  }

  function ask(target, asking) {
    view.asking = asking;
    view.revealed = view.pinned = false;
    view.marked.clear();
    view.here = target;
    light();
  }

  const act = {
    reset: () => { ask(view.here, false); view.done = false; choose(model.get("start")); },
    ask: () => ask(view.here, !view.asking),
    reveal: () => { view.revealed = true; light(); part('[data-do="next"]').focus(); },
    next: () => { ask([(view.here[0] + 1) % state.rows, (view.here[1] + 1) % state.cols], true); part('[data-do="reveal"]').focus(); },
  };
  presets(words).forEach(([, values], k) => { act[`preset-${k}`] = () => choose(values); });

  root.addEventListener("keydown", (event) => { walk(event); keepKeys(event); });
  root.addEventListener("pointerover", (event) => {
    const cell = event.target.closest("[data-cell]");
    if (cell) point(cell);
  });
  root.addEventListener("focusin", (event) => {
    if (event.target.dataset.cell) point(event.target);
  });
  root.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-cell]");
    if (cell) { step(cell); press(cell); }
    act[event.target.dataset.do]?.();
  });
  // It also tells when the drawing has come into the page, and the box around it can be adopted.
  const watch = new ResizeObserver(() => {
    const width = clamp(Math.round(root.clientWidth), 320, 880);
    if (root.clientWidth && width !== view.width) { view.width = width; draw(); }
  });
  watch.observe(root);
  const changes = ["rows", "cols", "dtype", "operation", "unit"].map((name) => `change:${name}`);
  for (const change of changes) model.on(change, draw);
  draw();
  return () => { watch.disconnect(); for (const change of changes) model.off(change, draw); };
}

const KINDS = { addresses: renderAddresses };

function render({ model, el }) {
  return KINDS[model.get("kind")]({ model, el });
}

export default { render };
