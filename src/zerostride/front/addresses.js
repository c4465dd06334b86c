// ---- addresses: a state is what the controls say; `base` is the learner's own array, where there is one.

export const COPIES = ["repeat", "tile", "repeat_interleave"];
export const UNITS = ["bytes", "elements"];
// The storage that may be dialled by hand, in elements; a page can still draw each of them.
export const MOST_SLOTS = 64;

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

function gridCell(i, j, seen, at, id) {
  const { left, cell, tall, top, small } = at;
  const [x, y, wide, high] = [left + j * cell, top + i * tall, cell - 6, tall - 6];
  const box = { width: wide, height: high, rx: 6 };
  const middle = { x: wide / 2 - (small ? 0 : 5), y: high / 2 + 6 };
  return tag(
    "g",
    { class: "zs-cell", role: "gridcell", tabindex: -1, "data-cell": `${i},${j}`, transform: `translate(${x} ${y})` },
    tag("rect", { class: "zs-face", ...box }),
    tag("rect", { class: "zs-ring", x: 4.5, y: 4.5, width: wide - 9, height: high - 9, rx: 3 }),
    mark(seen.starts.indexOf(seen.offsetsBytes[i][j]), 13, 12, id, small ? 0.8 : 1),
    text(middle.x, middle.y, "zs-value", seen.values[i][j]),
    text(wide - 7, high - 6, "zs-offset", seen.offsets[i][j]),
    text(wide - 7, 15, "zs-sign", ""),
  );
}

function gridNames({ rows, cols }, { left, cell, tall, top }) {
  const head = counted(cols, (j) => text(left + j * cell + cell / 2 - 3, top - 9, "zs-axis", `j=${j}`));
  const side = counted(rows, (i) => text(left - 10, top + i * tall + tall / 2 + 2, "zs-axis zs-end", `i=${i}`));
  return tag("g", {}, head, side);
}

const gridRows = (seen, at, id) =>
  seen.offsetsBytes.map((line, i) => tag("g", { role: "row" }, line.map((_, j) => gridCell(i, j, seen, at, id))));

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
  return tag("g", {}, spare, cells);
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
  const tick = (byte) => `M${place(byte)} ${y}v${labels.includes(byte) ? 8 : 4}`;
  const label = (byte) => {
    const last = byte === end;
    return text(place(byte) + (last ? 6 : 0), y + 23, `zs-axis${last ? " zs-end" : ""}`, `${shown(byte)}${bytes && last ? " B" : ""}`);
  };
  const lines = `M${left} ${y}H${place(end)}${ticks.map(tick).join("")}`;
  return tag("g", {}, tag("path", { class: "zs-tick", d: lines }), labels.map(label));
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

/** The drawing without its changing pieces. */
function frame(words, id) {
  const band = tag("path", { class: "zs-band", d: "" });
  const cells = tag("g", { class: "zs-grid", role: "grid", "aria-label": words.grid });
  return tag("svg", { class: "zs-drawing", role: "group" }, paints(id), band, tag("g", { class: "zs-still", "aria-hidden": "true" }), cells);
}

/** Put pieces in place; those that are as they were stay. */
function refresh(place, pieces) {
  const before = place.pieces ?? [];
  pieces.forEach((piece, k) => {
    if (k >= before.length) place.insertAdjacentHTML("beforeend", piece);
    else if (piece !== before[k]) place.children[k].outerHTML = piece;
  });
  while (place.children.length > pieces.length) place.lastElementChild.remove();
  place.pieces = pieces;
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
    tag("div", { class: "zs-head" }),
    tag("div", { class: "zs-bar zs-how" },
      [0, 1].map((axis) => button(`axis-${axis}`, fill(words.axis, { axis }))), dialOf("count", "")),
    tag("div", { class: "zs-place" }, frame(words, id)),
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
    redraw();
    reachable(cellAt(inside(held ? held.split(",") : view.here)));
    head();
    turn(reach);
    light();
    mission();
    if (held) part('[tabindex="0"]').focus();
    adopt(root);
  }

  function redraw() {
    const svg = part(".zs-drawing");
    svg.setAttribute("aria-label", fill(words.drawing, state));
    svg.setAttribute("viewBox", `0 0 ${at.width} ${at.height}`);
    svg.style.maxWidth = `${at.width}px`;
    part(".zs-grid").setAttribute("aria-rowcount", state.rows);
    part(".zs-grid").setAttribute("aria-colcount", state.cols);
    refresh(part(".zs-still"), [gridNames(state, at), strip(seen, at, id), ruler(state, seen, at)]);
    refresh(part(".zs-grid"), gridRows(seen, at, id));
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
    for (const [name, byte] of Object.entries({ start: seen.start, down, across })) {
      const now = byte / grain();
      const { min, max } = byHand ? reach[name] : { min: now, max: now };
      // Along an axis of length 1 a stride may be longer than a second element could use.
      setDial(part(`[data-dial="${name}"]`), { min: Math.min(min, now), max: Math.max(max, now) }, now, shown(now));
    }
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
    part(".zs-drawing").classList.toggle("zs-asking", hidden);
    part(".zs-band").setAttribute("d", bandPath(seen, state, at));
    for (const cell of root.querySelectorAll("[data-cell]")) paint(cell, hidden, found);
    for (const slot of root.querySelectorAll("[data-byte]")) {
      const lit = !hidden && Number(slot.dataset.byte) === seen.here;
      for (const kind of ["zs-lit", "zs-here"]) slot.classList.toggle(kind, lit);
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
    const kinds = ["cell", at.small && "small", lit && "lit", here && "here", marked && hidden && "marked", verdict].filter(Boolean);
    const sign = { right: "✓", missed: "!", extra: "✗" }[verdict] ?? (marked ? "●" : here && view.pinned ? "◉" : "");
    const values = { i, j, value: seen.values[i][j], offset: seen.offsets[i][j] };
    const verdicts = { right: words.cell_right, missed: words.cell_missed, extra: words.cell_extra };
    const label = fill(hidden ? words.cell_hidden : words.cell, values) + (verdict ? words.comma + verdicts[verdict] : "");
    const looks = { class: kinds.map((kind) => `zs-${kind}`).join(" "), "aria-selected": view.asking ? marked : here, "aria-label": label };
    const told = JSON.stringify([looks, sign]);
    if (cell.told === told) return;
    cell.told = told;
    for (const [attribute, value] of Object.entries(looks)) cell.setAttribute(attribute, value);
    cell.querySelector(".zs-sign").textContent = sign;
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
    const next = moved(event.key, [i, j], [state.rows - 1, state.cols - 1]);
    if (next) step(cellAt(next));
    else if (event.key === "Enter" || event.key === " ") press(cell);
    else if (event.key === "Escape" && view.pinned) { view.pinned = false; point(cell); light(); }
    else return;
    event.preventDefault();
  }

  /** Make a cell the one that Tab reaches. */
  function reachable(cell) {
    for (const other of root.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0;
  }

  function step(cell) {
    reachable(cell);
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

KINDS.addresses = renderAddresses;
