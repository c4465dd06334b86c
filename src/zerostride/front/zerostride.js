// The live drawings: plain functions first, `render({ model, el })` last. No imports, no network, and no
// natural language: every shown word comes in with the model. The looks are in zerostride.css. Used alike by
// anywidget and by a page without kernel.

export const COPIES = ["repeat", "tile", "repeat_interleave"];
export const UNITS = ["bytes", "elements"];
// The storage that may be dialled by hand, in elements; a page can still draw each of them.
export const MOST_SLOTS = 64;

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
export const FILLS = ["full", "none", "left", "right", "top", "bottom"];

function polygon(corners, turn = 0, radii = [corners === 24 ? 5 : 6]) {
  const points = Array.from({ length: corners }, (_, k) => {
    const angle = ((turn + (360 * k) / corners - 90) * Math.PI) / 180;
    const radius = radii[k % radii.length];
    return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
  });
  return `M${points.join("L")}Z`;
}

const pair = (numbers) => `(${numbers.join(", ")})`;
const clamp = (number, low, high) => Math.min(Math.max(number, low), high);
const counted = (length, each) => Array.from({ length }, (_, k) => each(k));
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
const signed = (number) => (number < 0 ? `(−${-number})` : `${number}`);

// ---- addresses: a state is what the controls say; `base` is the learner's own array, where there is one.

/** The axis that an operation works along: the name of its size. */
const along = ({ axis }) => (axis ? "cols" : "rows");

/** The shape of the source that an operation brings to (rows, cols). */
export function sourceShape({ rows, cols, operation, axis, count }) {
  if (operation === "expand") return axis ? [rows, 1] : [1, cols];
  if (COPIES.includes(operation)) return axis ? [rows, count] : [count, cols];
  if (operation === "transpose") return [cols, rows];
  if (operation === "slice") return axis ? [rows, cols * count] : [rows * count, cols];
  if (operation === "window") return [1, (rows - 1) * count + cols];
  return [rows, cols];
}

/** Where the source of a state lies: a corner of the learner's own array, or a storage of its own. */
function sourceOf(state, base) {
  if (base) return base;
  const [rows, cols] = sourceShape(state);
  const strides = [cols * state.itemsize, state.itemsize];
  return { start: 0, strides, storage: rows * cols * state.itemsize };
}

/** Start and strides in bytes, and the storage they walk in. */
export function numbersOf(state, base) {
  const { rows, cols, itemsize, operation, axis, count } = state;
  if (COPIES.includes(operation))
    return { start: 0, strides: [cols * itemsize, itemsize], storage: rows * cols * itemsize };
  if (operation === "as_strided") {
    const grain = base ? base.grain : itemsize;
    const dialled = { start: state.start * grain, strides: [state.down * grain, state.across * grain] };
    return { ...dialled, storage: base ? base.storage : reach(state, dialled)[1] };
  }
  const { start, strides: [down, across], storage } = sourceOf(state, base);
  const to = (strides, from = start) => ({ start: from, strides, storage });
  if (operation === "transpose") return to([across, down]);
  if (operation === "window") return to([count * across, across]);
  if (operation === "slice") return to(axis ? [down, count * across] : [count * down, across]);
  if (operation === "reverse")
    return axis ? to([down, -across], start + (cols - 1) * across) : to([-down, across], start + (rows - 1) * down);
  // An axis of length 1 is not expanded: it keeps its stride, as in torch.
  if (axis) return to([down, cols > 1 ? 0 : across]);
  return to([rows > 1 ? 0 : down, across]);
}

/** The lowest and the past-the-end byte that a layout reads. */
function reach({ rows, cols, itemsize }, { start, strides: [down, across] }) {
  const moves = [(rows - 1) * down, (cols - 1) * across];
  const sum = (pick) => moves.reduce((total, move) => total + pick(move, 0), start);
  return [sum(Math.min), sum(Math.max) + itemsize];
}

/** Which address each element has, and which elements share the highlighted one. */
export function addresses({ highlight, ...state }, base) {
  const { rows, cols, itemsize, unit } = state;
  const { start, strides: stridesBytes, storage: storedBytes } = numbersOf(state, base);
  const whole = (step) => (step % itemsize ? null : step / itemsize);
  const stridesElements = stridesBytes.map(whole);
  const [down, across] = unit === "elements" ? stridesElements : stridesBytes;
  const from = unit === "elements" ? whole(start) : start;
  const offsetsBytes = counted(rows, (i) => counted(cols, (j) => start + i * stridesBytes[0] + j * stridesBytes[1]));
  const starts = [...new Set(offsetsBytes.flat())].sort((a, b) => a - b);
  const [row, col] = highlight;
  const here = offsetsBytes[row][col];
  const readers = [];
  offsetsBytes.forEach((line, i) => line.forEach((byte, j) => byte === here && readers.push([i, j])));
  const formula = (i, j) => `${from ? `${from} + ` : ""}${i}×${signed(down)} + ${j}×${signed(across)}`;
  const result = from + row * down + col * across;
  return {
    start,
    stridesBytes,
    stridesElements,
    offsetsBytes,
    offsets: offsetsBytes.map((line) => line.map((byte) => (unit === "elements" ? byte / itemsize : byte))),
    values: offsetsBytes.map((line, i) => line.map((byte, j) => valueOf(state, base, i, j, byte))),
    starts,
    here,
    readers,
    formula: formula("i", "j"),
    worked: `${formula(row, col)} = ${result}${unit === "bytes" ? " B" : ""}`,
    logicalBytes: rows * cols * itemsize,
    // Cells may overlap in part where an array of one's own does.
    touchedBytes: starts.reduce((sum, byte, k) => sum + Math.min(itemsize, (starts[k + 1] ?? Infinity) - byte), 0),
    storedBytes,
  };
}

/** What an element holds: numbered by its place in the source, or what the learner's own array holds there. */
function valueOf(state, base, i, j, byte) {
  const { itemsize, operation, axis, count, dtype } = state;
  if (!COPIES.includes(operation)) return base ? (base.values[byte] ?? "·") : valueText(byte / itemsize + 1, dtype);
  const times = state[along(state)] / count;
  const from = (k) => (operation === "repeat_interleave" ? Math.floor(k / times) : k % count);
  const [row, col] = axis ? [i, from(j)] : [from(i), j];
  const { start, strides } = sourceOf(state, base);
  const place = start + row * strides[0] + col * strides[1];
  return base ? base.values[place] : valueText(place / itemsize + 1, dtype);
}

/** The text of the values 1, 2, 3 … in an element type; truth values take turns. */
export function valueText(number, dtype) {
  if (dtype === "bool") return number % 2 ? "True" : "False";
  if (dtype.startsWith("complex")) return `${number}+0j`;
  return dtype.startsWith("int") ? `${number}` : `${number}.0`;
}

/** Whether a state describes a layout that exists: its source is there, and no element lies outside the storage. */
export function legal(state, base) {
  const { rows, cols, itemsize, operation, axis, count } = state;
  if (operation === "as_strided") {
    const [low, high] = reach(state, numbersOf(state, base));
    return low >= 0 && high <= (base ? base.storage : MOST_SLOTS * itemsize);
  }
  if (COPIES.includes(operation) && state[along(state)] % count) return false;
  let [high, wide] = sourceShape(state);
  if (!base) return high * wide <= MOST_SLOTS && rows * cols <= MOST_SLOTS;
  if (operation === "slice") [high, wide] = axis ? [rows, (cols - 1) * count + 1] : [(rows - 1) * count + 1, cols];
  return high <= base.rows && wide <= base.cols;
}

/** The nearest legal state: what the controls say is kept as far as it can be. */
export function settle(state, base, most) {
  const next = { ...state, rows: clamp(state.rows, 1, most.rows), cols: clamp(state.cols, 1, most.cols) };
  const name = along(next);
  next.count = clamp(state.count, 1, COPIES.includes(next.operation) && base ? Math.min(most[name], base[name]) : most[name]);
  if (COPIES.includes(next.operation)) next[name] = Math.max(next.count, next[name] - (next[name] % next.count));
  else if (next.operation === "as_strided") {
    const slots = base ? Math.floor((base.storage - next.itemsize) / base.grain) : MOST_SLOTS - 1;
    next.start = clamp(state.start, 0, slots);
  }
  const shrinks = { rows: () => stepOf(next, "rows"), cols: () => stepOf(next, "cols") };
  while (!legal(next, base)) {
    const [least, widest] = [next.rows > shrinks.rows(), next.cols > shrinks.cols()];
    if (!COPIES.includes(next.operation) && next.operation !== "as_strided" && next.count > 1) next.count -= 1;
    else if (least && (!widest || next.rows >= next.cols)) next.rows -= shrinks.rows();
    else next.cols -= shrinks.cols();
  }
  return next;
}

/** By how much a size moves: repeating keeps whole turns. */
const stepOf = (state, name) => (COPIES.includes(state.operation) && along(state) === name ? state.count : 1);

/** How far each control can go while the others stay: no slider ever reaches an illegal state. */
export function limits(state, base, most) {
  const size = (name) => {
    const step = stepOf(state, name);
    let max = state[name];
    while (max + step <= most[name] && legal({ ...state, [name]: max + step }, base)) max += step;
    return { min: step, max, step };
  };
  return { rows: size("rows"), cols: size("cols"), count: counts(state, base, most), ...dials(state, base) };
}

function counts(state, base, most) {
  const name = along(state);
  if (COPIES.includes(state.operation)) return { min: 1, max: Math.min(most[name], base ? base[name] : most[name]) };
  let max = state.count;
  while (max < most[name] && legal({ ...state, count: max + 1 }, base)) max += 1;
  return { min: 1, max };
}

/** The reach of start and strides, in grains: what the dials by hand count. */
function dials(state, base) {
  const grain = base ? base.grain : state.itemsize;
  const storage = base ? base.storage : MOST_SLOTS * state.itemsize;
  const layout = numbersOf(state, base);
  const [low, high] = reach(state, layout);
  const stride = (size, step) => {
    // Along an axis of length 1 nothing moves: its dial goes as far as a second element could.
    const moves = Math.max(size - 1, 1);
    const moved = size > 1 ? moves * step : 0;
    const [before, after] = [low - Math.min(moved, 0), storage - high + Math.max(moved, 0)];
    const down = base && !base.negative ? 0 : -Math.floor(before / moves / grain);
    return { min: Math.min(0, down), max: Math.floor(after / moves / grain) };
  };
  return {
    start: { min: Math.ceil((layout.start - low) / grain), max: Math.floor((layout.start + storage - high) / grain) },
    down: stride(state.rows, layout.strides[0]),
    across: stride(state.cols, layout.strides[1]),
  };
}

/** What a change of operation brings along: dials start from what was seen, a count from one that shows. */
export function entered(state, before, seen, base) {
  const { operation } = state;
  if (!before || before.operation === operation) return state;
  if (operation === "as_strided") {
    const grain = base ? base.grain : state.itemsize;
    const [down, across] = seen.stridesBytes.map((step) => step / grain);
    return { ...state, start: seen.start / grain, down, across };
  }
  const now = base ? { ...state, ...allOf(base, state) } : state;
  const copied = COPIES.includes(operation) && COPIES.includes(before.operation);
  const shows = operation === "slice" || (operation === "repeat_interleave" && state[along(state)] % 2 === 0);
  const count = copied && !(state.count === 1 && shows) ? state.count : shows ? 2 : 1;
  return { ...now, count };
}

/** The shape in which an operation shows all of an array of one's own. */
function allOf({ rows, cols }, { operation, axis }) {
  if (operation === "transpose") return { rows: cols, cols: rows };
  if (operation === "window") return { rows: Math.ceil(cols / 2), cols: Math.floor(cols / 2) + 1 };
  if (operation === "expand") return axis ? { rows, cols: 4 } : { rows: 4, cols };
  if (operation === "slice") return axis ? { rows, cols: Math.ceil(cols / 2) } : { rows: Math.ceil(rows / 2), cols };
  return { rows, cols };
}

/** The operation as a line of code. */
export function code({ rows, cols, operation, axis, count, unit }, { stridesBytes, stridesElements }) {
  const shape = pair([rows, cols]);
  const times = axis ? pair([1, cols / count]) : pair([rows / count, 1]);
  const strides = pair(unit === "elements" ? stridesElements : stridesBytes);
  const by = count > 1 ? `[::${count}]` : "";
  return {
    expand: `source.expand${shape}`,
    repeat: `source.repeat${times}`,
    tile: `np.tile(source, ${times})`,
    repeat_interleave: `source.repeat_interleave(${(axis ? cols : rows) / count}, dim=${axis})`,
    transpose: "source.T",
    reverse: axis ? "source[:, ::-1]" : "source[::-1]",
    slice: axis ? `source[:, ::${count}]` : `source[::${count}]`,
    window: `sliding_window_view(source[0], ${cols})${by}`,
    as_strided: `as_strided(source, ${shape}, ${strides})`,
  }[operation];
}

/** The strides, in the unit shown, that an expansion keeps as torch does and that NumPy prints as 0. */
export function keptSteps({ rows, cols, operation, unit }, { stridesBytes, stridesElements }) {
  const shown = unit === "elements" ? stridesElements : stridesBytes;
  return operation === "expand" ? shown.filter((step, axis) => [rows, cols][axis] === 1 && step !== 0) : [];
}

/** Shape and fill of the mark of an address, given its rank among all addresses. */
export function markOf(rank) {
  return { shape: SHAPES[rank % SHAPES.length], fill: FILLS[Math.floor(rank / SHAPES.length)] };
}

/** What was marked against what is so: right, missed and extra places, by name. */
export function compareMarks(marks, wanted, target) {
  const marked = new Set(marks);
  const others = wanted.map(String).filter((name) => name !== String(target));
  return {
    right: others.filter((name) => marked.has(name)),
    missed: others.filter((name) => !marked.has(name)),
    extra: [...marked].filter((name) => !others.includes(name)),
  };
}

/** Whether marks still mean what they meant: in the drawing of addresses, and in that of shapes. */
export const sameAddresses = (before, after) => JSON.stringify(before.offsetsBytes) === JSON.stringify(after.offsetsBytes);
export const sameVerdicts = (before, after) =>
  String(before.axes.map(({ verdict }) => verdict)) === String(after.axes.map(({ verdict }) => verdict));

/** Marks after a change that they do not survive; the live line says that there were some. */
function clearMarks(view) {
  view.cleared ||= view.marked.size > 0;
  view.marked.clear();
  view.revealed = false;
}

/** The mission: twelve elements on exactly six addresses. */
export function missionDone({ rows, cols }, { starts }) {
  return rows * cols === 12 && starts.length === 6;
}

/** The named starting points, each legal on the controls. */
export function presets(words) {
  const course = {
    rows: 4, cols: 3, dtype: "float64", operation: "expand", unit: "bytes", axis: 0, count: 1, start: 0, down: 0, across: 1,
  };
  const of = (operation, more = {}) => ({ ...course, operation, ...more });
  return [
    [words.preset_contiguous, of("as_strided", { down: 3 })],
    [words.preset_expanded, course],
    [words.preset_repeated, of("repeat")],
    [words.preset_torch, { ...course, dtype: "float32", unit: "elements" }],
    [words.preset_abab, of("tile", { count: 2 })],
    [words.preset_aabb, of("repeat_interleave", { count: 2 })],
    [words.preset_transposed, of("transpose")],
    [words.preset_reversed, of("reverse", { axis: 1 })],
    [words.preset_sliced, of("slice", { count: 2 })],
    [words.preset_window, of("window", { rows: 3, cols: 3 })],
  ];
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

// Below this many pixels, or where numbers are long, a cell stacks mark, value and offset.
const NARROW = 96;
// Where a storage has more slots than fit, an unread stretch is cut to this many slots.
const CUT_SLOTS = 3;

/** The storage from end to end: what is read, what nobody reads (cut short where long), what is not allocated. */
export function stretches({ starts, storedBytes, logicalBytes }, itemsize) {
  const total = Math.max(storedBytes, logicalBytes);
  const cut = total > MOST_SLOTS * itemsize;
  const found = [];
  let [end, slots] = [0, 0];
  const add = (kind, to) => {
    if (to <= end) return;
    const real = (to - end) / itemsize;
    const shown = cut && kind === "unread" ? Math.min(real, CUT_SLOTS) : real;
    found.push({ kind, from: end, to, at: slots, slots: shown, cut: shown < real });
    [end, slots] = [to, slots + shown];
  };
  for (const byte of starts) {
    add("unread", byte);
    add("read", byte + itemsize);
  }
  add("unread", storedBytes);
  // Where gaps are cut there is no common scale to show what a copy would take.
  if (!cut) add("absent", total);
  return found;
}

/** Where everything stands in a drawing `width` pixels wide. */
export function geometry({ rows, cols, itemsize }, seen, width) {
  const left = 42;
  const cell = Math.min(190, (width - left - 4) / cols);
  const longest = (lines) => Math.max(...lines.flat().map((each) => String(each).length));
  const small = cell < Math.max(NARROW, 16 + 10 * longest(seen.values) + 17 * longest(seen.offsets));
  const tall = small ? 58 : rows > 5 ? 40 : 46;
  const stripTop = 26 + rows * tall + 44;
  const strip = stretches(seen, itemsize);
  const last = strip.at(-1);
  const slot = (width - left - 8) / (last.at + last.slots);
  const place = (byte) => {
    const part = strip.find(({ to }) => byte < to) ?? last;
    return left + slot * (part.at + ((byte - part.from) / (part.to - part.from)) * part.slots);
  };
  return { left, cell, small, tall, top: 26, stripTop, stripTall: 40, slot, strip, place, height: stripTop + 74, width };
}

function mark(rank, x, y, id, scale = 1) {
  const { shape, fill: style } = markOf(rank);
  const paint = { full: "currentColor", none: "none" }[style] ?? `url(#${id}-${style})`;
  const place = `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale})`;
  return tag("path", { class: "zs-mark", d: shape, fill: paint, transform: place });
}

function paints(id) {
  const stop = (offset, opacity) => tag("stop", { offset, "stop-color": "currentColor", "stop-opacity": opacity });
  const half = (name, first, down) =>
    tag("linearGradient", { id: `${id}-${name}`, ...(down ? { x2: 0, y2: 1 } : {}) }, stop(0.5, first), stop(0.5, 1 - first));
  const lines = tag("path", { d: "M0 0V7", class: "zs-hatch" });
  const hatch = { id: `${id}-hatch`, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const halves = [half("left", 1), half("right", 0), half("top", 1, true), half("bottom", 0, true)];
  return tag("defs", { class: "zs-mark" }, halves, tag("pattern", hatch, lines));
}

function gridCell(i, j, seen, at, id) {
  const { left, cell, tall, top, small } = at;
  const [x, y, wide, high] = [left + j * cell, top + i * tall, cell - 6, tall - 6];
  const box = { width: wide, height: high, rx: 6 };
  const size = small ? " zs-small" : "";
  const middle = { x: wide / 2 - (size ? 0 : 5), y: high / 2 + 6 };
  return tag(
    "g",
    { class: `zs-cell${size}`, role: "gridcell", tabindex: -1, "data-cell": `${i},${j}`, transform: `translate(${x} ${y})` },
    tag("rect", { class: "zs-face", ...box }),
    tag("rect", { class: "zs-ring", x: 4.5, y: 4.5, width: wide - 9, height: high - 9, rx: 3 }),
    mark(seen.starts.indexOf(seen.offsetsBytes[i][j]), 13, 12, id, size ? 0.8 : 1),
    text(middle.x, middle.y, "zs-value", seen.values[i][j]),
    text(wide - 7, high - 6, "zs-offset", seen.offsets[i][j]),
    text(wide - 7, 15, "zs-sign", ""),
  );
}

function grid(state, seen, words, at, id) {
  const { left, cell, tall, top } = at;
  const head = counted(state.cols, (j) => text(left + j * cell + cell / 2 - 3, top - 9, "zs-axis", `j=${j}`));
  const lines = seen.offsetsBytes.map((line, i) =>
    tag("g", { role: "row" }, line.map((_, j) => gridCell(i, j, seen, at, id))),
  );
  const side = lines.map((_, i) => text(left - 10, top + i * tall + tall / 2 + 2, "zs-axis zs-end", `i=${i}`));
  return [
    tag("g", { "aria-hidden": "true" }, head, side),
    tag("g", { role: "grid", "aria-label": words.grid, "aria-rowcount": state.rows, "aria-colcount": state.cols }, lines),
  ];
}

function strip(seen, at, id) {
  const { stripTop: top, stripTall: high, slot, place } = at;
  const held = new Map(seen.offsetsBytes.flatMap((line, i) => line.map((byte, j) => [byte, seen.values[i][j]])));
  const cells = seen.starts.map((byte, rank) => {
    const [x, value] = [place(byte), held.get(byte)];
    const roomy = slot > 9 * value.length + 6;
    return tag(
      "g",
      { class: "zs-slot", "data-byte": byte },
      tag("rect", { class: "zs-face", x: x + 0.75, y: top, width: Math.max(slot - 1.5, 2), height: high }),
      slot > 11 ? mark(rank, x + slot / 2, top + (roomy ? 11 : high / 2), id, slot > 17 ? 0.9 : 0.7) : "",
      roomy ? text(x + slot / 2, top + high - 8, "zs-stored", value) : "",
    );
  });
  const spare = at.strip.filter(({ kind }) => kind !== "read").map(({ kind, from, to, slots, cut }) => {
    const [x, wide] = [place(from) + 1, slots * slot - 2];
    const box = { class: `zs-${kind}`, "data-from": from, "data-to": to, x, y: top + 0.5, width: Math.max(wide, 1), height: high - 1 };
    const paint = kind === "unread" ? { fill: `url(#${id}-hatch)` } : {};
    return tag("rect", { ...box, ...paint }) + (cut ? text(x + wide / 2, top + high / 2 + 5, "zs-cut", "⋯") : "");
  });
  return tag("g", { "aria-hidden": "true" }, spare, cells);
}

/** Which element boundaries carry a number: start, end of storage, end of scale, and regular ones between. */
export function numbered({ cols }, total, stored, slot, room) {
  const kept = [...new Set([0, total])];
  // The last number ends at its tick instead of standing around it, so it needs more room.
  const fits = (at) => kept.every((other) => Math.abs(at - other) * slot >= (other === total ? 1.4 * room : room));
  if (stored !== total && fits(stored)) kept.push(stored);
  const steps = counted(total, (k) => k + 1);
  const every = steps.find((k) => k * slot >= room && (cols % k === 0 || k % cols === 0)) ?? total;
  for (let at = every; at < total; at += every) if (fits(at)) kept.push(at);
  return kept.sort((a, b) => a - b);
}

/** The bytes that get a tick, and those of them that get a number. */
function marksOnRuler(state, seen, { strip: parts, slot, place }, room) {
  const { itemsize } = state;
  const end = parts.at(-1).to;
  if (!parts.some(({ cut }) => cut) && parts.every(({ from }) => from % itemsize === 0)) {
    const total = Math.ceil(end / itemsize);
    const labels = numbered(state, total, Math.ceil(seen.storedBytes / itemsize), slot, room);
    return [counted(total + 1, (k) => k * itemsize), labels.map((k) => k * itemsize)];
  }
  const edges = [...new Set([0, end, ...parts.map(({ from }) => from)])];
  const kept = [];
  for (const byte of edges)
    if (kept.every((other) => Math.abs(place(byte) - place(other)) >= (other === end ? 1.6 * room : room))) kept.push(byte);
  return [edges, kept];
}

function ruler(state, seen, at) {
  const { left, stripTop, stripTall, place, strip: parts } = at;
  const y = stripTop + stripTall + 6;
  const end = parts.at(-1).to;
  const bytes = state.unit === "bytes";
  const shown = (byte) => (bytes ? byte : byte / state.itemsize);
  const room = 16 + 8 * String(shown(end)).length + (bytes ? 8 : 0);
  const [ticks, labels] = marksOnRuler(state, seen, at, room);
  const tick = (byte) => {
    const x = place(byte);
    return tag("line", { class: "zs-tick", x1: x, x2: x, y1: y, y2: y + (labels.includes(byte) ? 8 : 4) });
  };
  const label = (byte) => {
    const last = byte === end;
    return text(place(byte) + (last ? 6 : 0), y + 23, `zs-axis${last ? " zs-end" : ""}`, `${shown(byte)}${bytes && last ? " B" : ""}`);
  };
  const base = tag("line", { class: "zs-tick", x1: left, x2: place(end), y1: y, y2: y });
  return tag("g", { "aria-hidden": "true" }, base, ticks.map(tick), labels.map(label));
}

/** The outlines of the bands from the lit cells of each column to their one storage cell. */
export function bandPath(seen, { rows }, at) {
  const { left, cell, tall, top, stripTop, slot } = at;
  const x = at.place(seen.here);
  const near = top + rows * tall;
  const columns = [...new Set(seen.readers.map(([, j]) => j))];
  return columns.map((j) => {
    const first = seen.readers.find((reader) => reader[1] === j)[0];
    const [west, east] = [left + j * cell + 10, left + j * cell + cell - 16];
    const start = top + first * tall + tall / 2;
    return `M${west} ${start}V${near}L${x + 1} ${stripTop}H${x + slot - 1}L${east} ${near}V${start}Z`;
  }).join("");
}

export function drawing(state, seen, words, at, id) {
  return tag(
    "svg",
    {
      class: "zs-drawing",
      role: "group",
      "aria-label": fill(words.drawing, { rows: state.rows, cols: state.cols, operation: state.operation }),
      viewBox: `0 0 ${at.width} ${at.height}`,
      style: `max-width:${at.width}px`,
    },
    paints(id),
    tag("path", { class: "zs-band", d: "" }),
    grid(state, seen, words, at, id),
    strip(seen, at, id),
    ruler(state, seen, at),
  );
}

// ---- shapes: two lists of sizes, aligned from the trailing end; a size of -1 means "as the source has it".

export const LIBRARIES = ["numpy", "torch"];
export const MOST_AXES = 4;
export const MOST_SIZE = 8;

/** The shape that a text names, `(4, 3)` or `4, 3` or `4×3`, or null: nothing typed is ever run. */
export function parseShape(typed, least = 0) {
  const plain = typed.replace(/[（(［[]|[）)］\]]/g, " ").replace(/[，,x×*、]/g, " ").replace(/[−–]/g, "-").trim();
  const sizes = plain === "" ? [] : plain.split(/\s+/).map((size) => (/^-?\d{1,3}$/.test(size) ? Number(size) : NaN));
  const good = sizes.length <= MOST_AXES && sizes.every((size) => size >= least && size <= MOST_SIZE);
  return good ? sizes : null;
}

/** A shape as Python writes it. */
export const shapeText = (sizes) => (sizes.length === 1 ? `(${sizes[0]},)` : pair(sizes));

/** Whether a source can be expanded to a target: one verdict per axis, the last axis first, as `zs.can_expand` says it. */
export function aligned(source, target, library) {
  const axes = counted(Math.max(source.length, target.length), (k) => {
    const [have, want] = [source.at(-1 - k) ?? null, target.at(-1 - k) ?? null];
    const [verdict, because] = judged(have, want, library);
    return { axis: -1 - k, source: have, target: want, size: because === "kept" ? have : want, verdict, because };
  });
  const allowed = axes.every(({ verdict }) => verdict !== "refused");
  const shape = allowed ? axes.map(({ size }) => size).reverse() : null;
  return { allowed, axes, shape, strides: allowed ? stridesOf(source, axes, library) : null };
}

function judged(have, want, library) {
  if (want === null) return ["refused", "axis_missing"];
  if (want === -1 && library === "torch") return have === null ? ["refused", "nothing_to_keep"] : ["same", "kept"];
  if (want === -1) return ["refused", have === null ? "negative" : "numpy_minus_one"];
  if (have === null) return ["new", "new"];
  if (have === want) return ["same", "same"];
  if (have === 1) return ["expanded", "expanded"];
  return ["refused", want === 1 ? "shrinks" : "differs"];
}

/** Strides of the result in elements, as the library prints them for a contiguous source. */
function stridesOf(source, axes, library) {
  const torch = library === "torch";
  // NumPy gives every axis of an array without elements the stride 0.
  const empty = !torch && source.includes(0);
  let [own, ahead] = [1, 0];
  return axes.map(({ size, verdict, source: have }) => {
    let step = verdict === "same" && !empty && (torch || size > 1) ? own : 0;
    // What torch prints for a new axis of length 1, where no stride ever counts.
    if (verdict === "new" && torch && size === 1 && source.length) step = ahead;
    own *= Math.max(have, 1);
    ahead = size * step;
    return step;
  }).reverse();
}

/** The shape of two arrays in one operation, or null: there both may be expanded. */
export function together(first, second) {
  const long = Math.max(first.length, second.length);
  const padded = (sizes) => [...Array(long - sizes.length).fill(1), ...sizes];
  const [left, right] = [padded(first), padded(second)];
  const shape = left.map((size, axis) => (size === 1 ? right[axis] : right[axis] === 1 ? size : size === right[axis] ? size : null));
  return shape.includes(null) || shape.includes(-1) ? null : shape;
}

/** What is to be said of that operation: refused, and why, or whether one or both were expanded. */
export function sumSaid(first, second) {
  if ([...first, ...second].includes(-1)) return "negative";
  const both = together(first, second);
  if (!both) return "refused";
  return [first, second].every((sizes) => String(sizes) !== String(both)) ? "expanded" : "shape";
}

const product = (sizes) => sizes.reduce((total, size) => total * size, 1);

/** The mission: two shapes of equally many elements that go together and give more than either. */
export function unintended(source, target) {
  const shape = together(source, target);
  return shape !== null && product(source) === product(target) && product(shape) > product(source);
}

/** The named pairs of shapes, each legal on the controls. */
export function shapePresets(words) {
  return [
    [words.preset_rows, { source: [1, 3], target: [4, 3] }],
    [words.preset_new, { source: [3], target: [4, 3] }],
    [words.preset_column, { source: [4, 1], target: [4, 3] }],
    [words.preset_two, { source: [2, 3], target: [4, 3] }],
    [words.preset_left, { source: [4], target: [4, 3] }],
    [words.preset_scalar, { source: [], target: [2, 3] }],
    [words.preset_minus, { source: [1, 3], target: [4, -1], library: "torch" }],
    [words.preset_empty, { source: [1, 3], target: [0, 3] }],
  ];
}

// Keys belong to the explorer: JupyterLab would move its selection, insert or delete a cell. Chords stay usable.
function keepKeys(event) {
  if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
}

/** Keep keys inside the whole box, sliders included, and give slider handles the names that ipywidgets leaves out. */
function adopt(root, dtype) {
  const box = root.closest(".zs-explorer");
  if (!box) return;
  box.addEventListener("keydown", keepKeys);
  for (const handle of box.querySelectorAll(".noUi-handle")) {
    const line = handle.closest(".jupyter-widgets");
    handle.setAttribute("aria-label", line.querySelector(".widget-label")?.textContent ?? "");
    if (line.classList.contains("zs-dtype")) handle.setAttribute("aria-valuetext", dtype);
  }
}

let views = 0;

const button = (name, label) => tag("button", { type: "button", "data-do": name }, escape(label));

/** The bar of named starting points and the reset. */
const startBar = (named, words) =>
  tag("div", { class: "zs-bar" }, named.map(([label], k) => button(`preset-${k}`, label)), button("reset", words.reset));

/** Mark first, then reveal; what the drawing says; the mission. */
const endBars = (words) => [
  tag("div", { class: "zs-bar" }, button("ask", words.ask), button("reveal", words.reveal), button("next", words.next)),
  tag("p", { class: "zs-live", role: "status", "aria-live": "polite" }),
  tag("p", { class: "zs-mission" }, tag("span", {}), tag("b", { role: "status", "aria-live": "polite" })),
];

/** A slider of the drawing itself, under its name and before its readout. */
const dialOf = (name, label, more = {}) =>
  tag("label", { class: "zs-dial" }, tag("span", {}, escape(label)), tag("input", { type: "range", "data-dial": name, step: 1, ...more }), tag("output", {}));

function setDial(input, { min, max }, value, shown) {
  [input.min, input.max, input.value, input.disabled] = [min, max, value, min === max];
  input.setAttribute("aria-valuetext", shown);
  const output = input.parentElement.querySelector("output");
  if (output) output.textContent = shown;
}

/** The root of a drawing; its keys stay inside. */
function rootIn(el, ...parts) {
  const root = document.createElement("div");
  root.className = "zs";
  root.innerHTML = parts.flat().join("");
  el.append(root);
  root.addEventListener("keydown", keepKeys);
  return root;
}

/** What is asked now, and why marks are gone. */
export function askedNow(words, { cleared, marked }, where) {
  return (cleared ? words.marks_cleared + words.space : "") + fill(words.ask_how, { ...where, count: marked.size });
}

/** The mission and how it stands: what is so now, or, once it is done, what solved it and nothing of now. */
export function missionLine(words, won, now) {
  return `${won ? "✓" : "○"} ${words.mission}${words.space}${fill(won ? words.mission_won : words.mission_now, won ?? now)} `;
}

function sayMission(root, words, won, now) {
  root.querySelector(".zs-mission span").textContent = missionLine(words, won, now);
  const told = root.querySelector(".zs-mission b");
  const said = won ? words.mission_done : "";
  if (told.textContent !== said) told.textContent = said;
}

const NUMBERS = ["rows", "cols", "axis", "count", "start", "down", "across"];

function renderAddresses({ model, el }) {
  const words = model.get("words");
  const dtypes = model.get("dtypes");
  const operations = model.get("operations");
  const most = model.get("most");
  const base = model.get("base").strides ? model.get("base") : null;
  const id = `zs${++views}`;
  const view = { here: [2, 1], pinned: false, asking: false, revealed: false, marked: new Set(), cleared: false, won: null, width: 0 };
  const named = base ? [] : presets(words);
  const root = rootIn(
    el,
    startBar(named, words),
    tag("p", { class: "zs-head" }),
    tag("div", { class: "zs-bar zs-how" },
      [0, 1].map((axis) => button(`axis-${axis}`, fill(words.axis, { axis }))), dialOf("count", "")),
    tag("div", { class: "zs-place" }),
    tag("p", { class: "zs-formula" }),
    tag("div", { class: "zs-dials", role: "group", "aria-label": words.by_hand },
      dialOf("start", words.dial_start), dialOf("down", words.dial_down), dialOf("across", words.dial_across)),
    endBars(words),
  );
  const part = (selector) => root.querySelector(selector);
  const cellAt = (index) => part(`[data-cell="${index}"]`);
  let state, seen, at;
  let busy = false;

  function read() {
    const [dtype, itemsize] = dtypes[model.get("dtype")];
    const [operation, unit] = [operations[model.get("operation")], UNITS[model.get("unit")]];
    return { ...Object.fromEntries(NUMBERS.map((name) => [name, model.get(name)])), dtype, itemsize, operation, unit };
  }

  const grain = () => (base ? base.grain : state.itemsize);

  /** Tell the model, and so the linked controls and Python, what is shown and how far each control goes. */
  function write(values) {
    const changed = Object.entries(values).filter(([name, value]) => model.get(name) !== value);
    if (!changed.length) return;
    busy = true;
    for (const [name, value] of changed) model.set(name, value);
    model.save_changes();
    busy = false;
  }

  // A value outside the limits of its slider would be pulled back in by Python: first the limits, then the value.
  const outside = (value, low, high) => value < low || value > high || value % low;
  const widen = (names) => write(Object.fromEntries(names.flatMap((name) => [[`${name}_most`, most[name]], [`${name}_by`, 1]])));

  function draw() {
    if (busy) return;
    const held = root.contains(document.activeElement) && document.activeElement.dataset.cell;
    const asked = read();
    const next = settle(state ? entered(asked, state, seen, base) : asked, base, most);
    state = next;
    const reach = limits(state, base, most);
    widen(["rows", "cols"].filter((name) => outside(next[name], model.get(`${name}_by`), model.get(`${name}_most`))));
    write(Object.fromEntries(NUMBERS.map((name) => [name, next[name]])));
    write({ rows_most: reach.rows.max, rows_by: reach.rows.step, cols_most: reach.cols.max, cols_by: reach.cols.step });
    const inside = ([i, j]) => [clamp(i, 0, state.rows - 1), clamp(j, 0, state.cols - 1)];
    view.here = inside(view.here);
    const before = seen;
    seen = addresses({ ...state, highlight: view.here }, base);
    if (before && !sameAddresses(before, seen)) clearMarks(view);
    at = geometry(state, seen, view.width || 860);
    part(".zs-place").innerHTML = drawing(state, seen, words, at, id);
    part(".zs-place").querySelector(`[data-cell="${inside(held ? held.split(",") : view.here)}"]`).tabIndex = 0;
    head();
    turn(reach);
    light();
    mission();
    if (held) part('[tabindex="0"]').focus();
    adopt(root, state.dtype);
  }

  function head() {
    const told = {
      bytes: pair(seen.stridesBytes), elements: pair(seen.stridesElements.map((step) => step ?? "?")),
      read: grouped(seen.touchedBytes), stored: grouped(seen.storedBytes), logical: grouped(seen.logicalBytes),
    };
    const source = base ? shapeText([base.rows, base.cols]) : shapeText(sourceShape(state));
    const from = base || state.operation !== "as_strided" ? tag("span", {}, escape(fill(words.source, { shape: source }))) : "";
    const summary = fill(words.summary, told).replace(/(\d) B/g, "$1\u00a0B");
    const kept = keptSteps(state, seen);
    const note = kept.length ? tag("div", { class: "zs-note" }, escape(fill(words.length_one, { kept: kept.join(words.comma) }))) : "";
    part(".zs-head").innerHTML = tag("code", {}, escape(code(state, seen))) + from + tag("div", { class: "zs-summary" }, escape(summary)) + note;
  }

  /** Set the drawing's own controls: those that the operation has, each as far as it can go. */
  function turn(reach) {
    const { operation, axis, count, unit, itemsize } = state;
    const copies = COPIES.includes(operation);
    const directed = copies || ["expand", "reverse", "slice"].includes(operation);
    for (const each of [0, 1]) {
      part(`[data-do="axis-${each}"]`).hidden = !directed;
      part(`[data-do="axis-${each}"]`).setAttribute("aria-pressed", axis === each);
    }
    const counter = part('[data-dial="count"]');
    counter.parentElement.hidden = !copies && !["slice", "window"].includes(operation);
    counter.parentElement.firstElementChild.textContent = !copies ? words.count_step : axis ? words.count_cols : words.count_rows;
    setDial(counter, reach.count, count, String(count));
    const byHand = !base || (base.grain === itemsize && !copies);
    part(".zs-dials").hidden = !byHand;
    const shown = (value) => (unit === "bytes" ? `${value * grain()} B` : `${(value * grain()) / itemsize}`).replace("-", "−");
    const [down, across] = seen.stridesBytes;
    for (const [name, byte] of Object.entries({ start: seen.start, down, across }))
      setDial(part(`[data-dial="${name}"]`), byHand ? reach[name] : { min: 0, max: 0 }, byte / grain(), shown(byte / grain()));
  }

  function dialled(name, value) {
    if (name === "count") write({ count: value });
    else {
      const [down, across] = seen.stridesBytes.map((step) => step / grain());
      state.operation = "as_strided";
      write({ start: seen.start / grain(), down, across, [name]: value, operation: operations.indexOf("as_strided") });
    }
    draw();
  }

  function light() {
    seen = addresses({ ...state, highlight: view.here }, base);
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
    const values = { i, j, value: seen.values[i][j], offset: seen.offsets[i][j] };
    const verdicts = { right: words.cell_right, missed: words.cell_missed, extra: words.cell_extra };
    const label = fill(hidden ? words.cell_hidden : words.cell, values);
    cell.setAttribute("aria-label", verdict ? label + words.comma + verdicts[verdict] : label);
  }

  const index = () => ({ i: view.here[0], j: view.here[1] });
  const asked = () => askedNow(words, view, index());
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
    part(".zs-mission").hidden = Boolean(base);
    if (missionDone(state, seen)) view.won = { shape: shapeText([state.rows, state.cols]), strides: pair(seen.stridesBytes) };
    sayMission(root, words, view.won, { elements: state.rows * state.cols, addresses: seen.starts.length });
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
      view.cleared = false;
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
    view.pinned = false;
    // Marks belong to the element that is asked about.
    if (!view.asking) view.here = [2, 1];
    state = undefined;
    widen(["rows", "cols"]);
    write({
      ...values, dtype: dtypes.findIndex(([name]) => name === values.dtype),
      operation: operations.indexOf(values.operation), unit: UNITS.indexOf(values.unit),
    });
    draw();
  }

  function ask(target, asking) {
    view.asking = asking;
    view.revealed = view.pinned = view.cleared = false;
    view.marked.clear();
    view.here = target;
    light();
  }

  const act = {
    reset: () => { ask(view.here, false); view.won = null; choose(model.get("initial")); },
    ask: () => ask(view.here, !view.asking),
    reveal: () => { view.revealed = true; view.cleared = false; light(); part('[data-do="next"]').focus(); },
    next: () => { ask([(view.here[0] + 1) % state.rows, (view.here[1] + 1) % state.cols], true); part('[data-do="reveal"]').focus(); },
    "axis-0": () => { write({ axis: 0 }); draw(); },
    "axis-1": () => { write({ axis: 1 }); draw(); },
  };
  named.forEach(([, values], k) => { act[`preset-${k}`] = () => choose(values); });

  root.addEventListener("keydown", walk);
  root.addEventListener("pointerover", (event) => {
    const cell = event.target.closest("[data-cell]");
    if (cell) point(cell);
  });
  root.addEventListener("focusin", (event) => {
    if (event.target.dataset.cell) point(event.target);
  });
  root.addEventListener("input", (event) => dialled(event.target.dataset.dial, Number(event.target.value)));
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
  const changes = [...NUMBERS, "dtype", "operation", "unit"].map((name) => `change:${name}`);
  for (const change of changes) model.on(change, draw);
  draw();
  return () => { watch.disconnect(); for (const change of changes) model.off(change, draw); };
}

function renderShapes({ model, el }) {
  const words = model.get("words");
  const named = shapePresets(words);
  const columns = counted(MOST_AXES, (k) => MOST_AXES - 1 - k);
  const view = { asking: false, revealed: false, marked: new Set(), cleared: false, won: null };
  const labels = { source: words.source, target: words.target };
  const typed = (name) =>
    tag("div", { class: "zs-typed" },
      tag("label", {}, tag("span", {}, escape(labels[name])), tag("input", { type: "text", "data-typed": name, spellcheck: "false", autocomplete: "off" })),
      dialOf(`${name}-ndim`, words.ndim, { min: 0, max: MOST_AXES }));
  const sized = (name) =>
    tag("tr", {}, tag("th", { scope: "row" }, escape(labels[name])), columns.map((k) =>
      tag("td", { "data-size": `${name}-${k}` }, tag("b", {}),
        tag("input", { type: "range", "data-dial": `${name}-${k}`, step: 1, "aria-label": fill(words.size_of, { shape: labels[name], axis: `−${k + 1}` }) }))));
  const row = (name, label, cell) =>
    tag("tr", { class: `zs-${name}` }, tag("th", { scope: "row" }, label), columns.map((k) => tag("td", { [`data-${name}`]: k }, cell(k))));
  const head = tag("tr", {}, tag("th", { scope: "row" }, escape(words.axis_name)),
    columns.map((k) => tag("th", { scope: "col", "data-head": k }, `−${k + 1}`)));
  const root = rootIn(
    el,
    startBar(named, words),
    typed("source"),
    typed("target"),
    tag("div", { class: "zs-wide" }, tag("table", { class: "zs-drawing zs-shapes", "aria-label": words.table }, head, sized("source"), sized("target"),
      row("verdict", escape(words.verdict), (k) => [tag("b", {}), tag("small", {}), tag("i", {}), button(`mark-${k}`, "")]),
      row("stride", tag("span", {}), () => tag("b", {})))),
    tag("div", { class: "zs-result", role: "status", "aria-live": "polite" }, ["one", "both"].map((name) => tag("code", { "data-code": name }) + tag("span", { "data-told": name }))),
    endBars(words),
  );
  const part = (selector) => root.querySelector(selector);
  let state, seen;
  let busy = false;
  const told = {};

  const read = () => ({ source: model.get("source"), target: model.get("target"), library: LIBRARIES[model.get("library")] });

  function draw() {
    if (busy) return;
    state = read();
    const before = seen;
    seen = aligned(state.source, state.target, state.library);
    if (before && !sameVerdicts(before, seen)) clearMarks(view);
    for (const name of ["source", "target"]) {
      const box = part(`[data-typed="${name}"]`);
      if (document.activeElement !== box) [box.value, told[name]] = [shapeText(state[name]), false];
      setDial(part(`[data-dial="${name}-ndim"]`), { min: 0, max: MOST_AXES }, state[name].length, String(state[name].length));
      columns.forEach((k) => size(name, k));
    }
    const long = Math.max(state.source.length, state.target.length);
    for (const k of columns)
      for (const cell of root.querySelectorAll(`[data-head="${k}"], [data-size$="-${k}"], [data-verdict="${k}"], [data-stride="${k}"]`))
        cell.hidden = k >= long;
    part("table").hidden = long === 0;
    light();
    const sum = together(state.source, state.target);
    if (unintended(state.source, state.target))
      view.won = { source: shapeText(state.source), target: shapeText(state.target), shape: shapeText(sum) };
    sayMission(root, words, view.won, { source: count(state.source), target: count(state.target), both: sum ? product(sum) : words.none });
    adopt(root);
  }

  const count = (sizes) => (sizes.includes(-1) ? words.uncounted : product(sizes));

  function size(name, k) {
    const at = state[name].length - 1 - k;
    const cell = part(`[data-size="${name}-${k}"]`);
    const value = state[name][at];
    cell.classList.toggle("zs-none", at < 0);
    cell.querySelector("b").textContent = at < 0 ? "·" : `${value}`.replace("-", "−");
    cell.querySelector("input").hidden = at < 0;
    if (at >= 0) setDial(cell.querySelector("input"), { min: Math.min(value, 0), max: MOST_SIZE }, value, `${value}`.replace("-", "−"));
  }

  const stretches = (verdict) => ["expanded", "new"].includes(verdict);
  const wanted = () => seen.axes.flatMap(({ verdict }, k) => (stretches(verdict) ? [String(k)] : []));

  function light() {
    const hidden = view.asking && !view.revealed;
    const found = compareMarks(view.marked, wanted(), null);
    for (const k of columns) judge(k, hidden, found);
    const torch = state.library === "torch";
    part(".zs-stride th span").textContent = torch ? words.stride_elements : words.stride_bytes;
    const [one, both] = sentences();
    part('[data-code="one"]').textContent = torch ? `source.expand(${shapeText(state.target)})` : `np.broadcast_to(source, ${shapeText(state.target)})`;
    const made = (sizes) => `${torch ? "torch" : "np"}.ones(${shapeText(sizes)})`;
    part('[data-code="both"]').textContent = `${made(state.source)} + ${made(state.target)}`;
    show("one", hidden ? null : seen.allowed, one);
    show("both", hidden ? null : together(state.source, state.target) !== null, both);
    part(".zs-live").textContent = problem() ?? (hidden ? askedNow(words, view, {}) : view.revealed ? answered(found) : "");
    part('[data-do="ask"]').setAttribute("aria-pressed", view.asking);
    part('[data-do="reveal"]').hidden = !hidden;
    part('[data-do="next"]').hidden = true;
  }

  function show(name, good, sentence) {
    const place = part(`[data-told="${name}"]`);
    place.className = good === null ? "" : good ? "zs-yes" : "zs-no";
    place.textContent = good === null ? "?" : `${good ? "✓" : "✗"} ${sentence}`;
  }

  /** Verdict and stride of one axis, counted from the trailing end; a button while the class is asked. */
  function judge(k, hidden, found) {
    const axis = seen.axes[k];
    if (!axis) return;
    const [name, cell] = [String(k), part(`[data-verdict="${k}"]`)];
    const press = cell.querySelector("button");
    const mark = view.revealed ? ["right", "missed", "extra"].find((kind) => found[kind].includes(name)) : "";
    cell.classList.toggle("zs-stretched", !hidden && stretches(axis.verdict));
    cell.classList.toggle("zs-refused", !hidden && axis.verdict === "refused");
    cell.querySelector("b").textContent = hidden ? "" : `${axis.verdict === "refused" ? "✗" : "✓"} ${words[`is_${axis.verdict}`]}`;
    cell.querySelector("small").textContent = hidden ? "" : because(axis);
    cell.querySelector("i").textContent = mark ? words[`cell_${mark}`] : "";
    press.hidden = !hidden;
    press.textContent = view.marked.has(name) ? `● ${words.marked}` : words.mark;
    press.setAttribute("aria-label", fill(words.mark_axis, { axis: `−${k + 1}` }));
    press.setAttribute("aria-pressed", view.marked.has(name));
    const step = seen.strides?.at(-1 - k);
    part(`[data-stride="${k}"] b`).textContent = hidden ? "?" : step === undefined ? "–" : step * itemsize();
  }

  const itemsize = () => (state.library === "torch" ? 1 : 8);
  const because = ({ because: name, source, target }) => fill(words[`because_${name}`], { source, target }).replace("-1", "−1");

  function sentences() {
    const both = together(state.source, state.target);
    const sums = { negative: words.both_negative, refused: words.both_refused, expanded: words.both_expanded, shape: words.both_shape };
    const bothTold = fill(sums[sumSaid(state.source, state.target)], { shape: both && shapeText(both) });
    const wrong = seen.axes.find(({ verdict }) => verdict === "refused");
    if (wrong) return [fill(words.one_refused, { axis: `−${-wrong.axis}`, reason: because(wrong) }), bothTold];
    const strides = shapeText(seen.strides.map((step) => step * itemsize()));
    return [fill(state.library === "torch" ? words.one_elements : words.one_bytes, { shape: shapeText(seen.shape), strides }), bothTold];
  }

  function answered({ right, missed, extra }) {
    const numbers = { right: right.length, missed: missed.length, extra: extra.length };
    return fill(missed.length || extra.length ? words.result : words.result_right, numbers);
  }

  const problem = () => (told.source || told.target ? fill(words.typed_wrong, { most: MOST_SIZE, axes: MOST_AXES }) : null);

  function set(values) {
    busy = true;
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
    busy = false;
    draw();
  }

  function type(box) {
    const name = box.dataset.typed;
    const sizes = parseShape(box.value, name === "target" ? -1 : 0);
    told[name] = sizes === null;
    box.setAttribute("aria-invalid", told[name]);
    if (sizes) set({ [name]: sizes });
    else light();
  }

  function slide(input) {
    const [name, what] = input.dataset.dial.split("-");
    const value = Number(input.value);
    const sizes = [...state[name]];
    if (what === "ndim") {
      while (sizes.length > value) sizes.shift();
      while (sizes.length < value) sizes.unshift(1);
    } else sizes[sizes.length - 1 - Number(what)] = value;
    set({ [name]: sizes });
  }

  function leave(box) {
    told[box.dataset.typed] = false;
    box.removeAttribute("aria-invalid");
    box.value = shapeText(state[box.dataset.typed]);
    light();
  }

  function choose(values) {
    for (const box of root.querySelectorAll("[data-typed]")) leave(box);
    const library = values.library ? { library: LIBRARIES.indexOf(values.library) } : {};
    set({ ...values, ...library });
  }

  function ask(asking) {
    view.asking = asking;
    view.revealed = view.cleared = false;
    view.marked.clear();
    light();
  }

  const act = {
    reset: () => { ask(false); view.won = null; choose(model.get("initial")); },
    ask: () => ask(!view.asking),
    reveal: () => { view.revealed = true; view.cleared = false; light(); part('[data-do="ask"]').focus(); },
  };
  named.forEach(([, values], k) => { act[`preset-${k}`] = () => choose(values); });
  for (const k of columns)
    act[`mark-${k}`] = () => { view.cleared = false; if (!view.marked.delete(String(k))) view.marked.add(String(k)); light(); };

  root.addEventListener("input", ({ target }) => (target.dataset.typed ? type(target) : slide(target)));
  root.addEventListener("focusout", ({ target }) => { if (target.dataset.typed) leave(target); });
  root.addEventListener("click", ({ target }) => act[target.dataset.do]?.());
  const changes = ["source", "target", "library"].map((name) => `change:${name}`);
  for (const change of changes) model.on(change, draw);
  // It tells when the drawing has come into the page, and the box around it can be adopted.
  const watch = new ResizeObserver(() => adopt(root));
  watch.observe(root);
  draw();
  return () => { watch.disconnect(); for (const change of changes) model.off(change, draw); };
}

const KINDS = { addresses: renderAddresses, shapes: renderShapes };

function render({ model, el }) {
  return KINDS[model.get("kind")]({ model, el });
}

export default { render };
