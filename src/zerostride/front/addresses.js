// ---- addresses, their numbers: a state is what the controls say; `base` is the learner's own array, where there is one.

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
