// ---- byte bill: an expression played with blocks of bytes, by the rules of `zs.budget` for torch, in whole numbers of any size.

export const BILL_WAYS = ["expand", "repeat", "implicit"];
export const BYTE_UNITS = ["B", "KiB", "MiB", "GiB"];
const BILL_AXES = ["B", "T", "D"];

const times = (sizes) => sizes.reduce((total, size) => total * size, 1n);
const alike = (one, other) => String(one) === String(other);

/** Which block is allocated when, who holds it, and when it is freed; an array is a block and how it is read. */
class Tape {
  constructor(itemsizes) {
    Object.assign(this, { itemsizes, sizes: [], holders: [], own: new Set(), changes: [] });
  }

  bytes = ({ shape, dtype }) => times(shape) * BigInt(this.itemsizes[dtype]);

  dense = (shape, dtype) => ({ shape, steps: shape.map((_, k) => times(shape.slice(k + 1)) * BigInt(this.itemsizes[dtype])), dtype });

  outside(layout) {
    this.holders.push(1);
    return { ...layout, block: this.sizes.push(this.bytes(layout)) - 1 };
  }

  make(shape, dtype) {
    const array = this.outside(this.dense(shape, dtype));
    this.own.add(array.block);
    this.changes.push(this.sizes[array.block]);
    return array;
  }

  view(array, layout) {
    this.holders[array.block] += 1;
    return layout ? { ...array, ...layout } : array;
  }

  expanded(array, shape) {
    const added = shape.length - array.shape.length;
    const steps = shape.map((size, k) => (k >= added && array.shape[k - added] === size ? array.steps[k - added] : 0n));
    return this.view(array, { shape, steps });
  }

  drop(...arrays) {
    for (const { block } of arrays)
      if ((this.holders[block] -= 1) === 0 && this.own.has(block)) this.changes.push(-this.sizes[block]);
  }

  distinct = (arrays) => [...new Set(arrays.map(({ block }) => block))].reduce((sum, block) => sum + this.sizes[block], 0n);
}

/** Whether the elements follow one another, and whether one axis can read them all without a copy. */
const long = ({ shape, steps }) => shape.flatMap((size, k) => (size === 1n ? [] : [[size, steps[k]]]));
const inOneStep = (array) => long(array).every(([, step], k, axes) => !axes[k + 1] || step === axes[k + 1][0] * axes[k + 1][1]);
const contiguous = (array, itemsize) => inOneStep(array) && (long(array).at(-1)?.[1] ?? itemsize) === itemsize;

const summedTo = (tape, grad, { shape, dtype }) => (alike(grad.shape, shape) ? tape.view(grad) : tape.make(shape, dtype));

/** One-axis view of a contiguous array, or of one number that is read everywhere. */
function reviewed(tape, array, shape) {
  const steps = array.steps.some((step) => step) ? tape.dense(shape, array.dtype).steps : shape.map(() => 0n);
  return tape.view(array, { shape, steps });
}

/** What each family of operations makes: the result, what it keeps, and the way back of a gradient. */
const BILL_RULES = {
  unary(tape, y, { saves, temporaries, product }) {
    const out = tape.make(y.shape, y.dtype);
    const back = (grad) => {
      if (!product) return tape.view(grad);
      const beside = counted(temporaries, () => tape.make(y.shape, y.dtype));
      const made = tape.make(y.shape, y.dtype);
      tape.drop(...beside);
      return made;
    };
    return [out, { input: [y], output: [out] }[saves] ?? [], back];
  },
  operand(tape, y, { saves, product }, other) {
    const out = tape.make(other.shape, y.dtype);
    const back = (grad) => {
      const made = product ? tape.make(grad.shape, y.dtype) : tape.view(grad);
      const summed = summedTo(tape, made, y);
      tape.drop(made);
      return summed;
    };
    return [out, saves === "operand" ? [other] : [], back];
  },
  total: (tape, y) => [tape.make([], y.dtype), [], (grad) => tape.expanded(grad, y.shape)],
  mean: (tape, y) => [tape.make([], y.dtype), [], () => tape.make(y.shape, y.dtype)],
  reshape(tape, y) {
    const shape = [times(y.shape)];
    const out = inOneStep(y) ? reviewed(tape, y, shape) : tape.make(shape, y.dtype);
    return [out, [], (grad) => reviewed(tape, grad, y.shape)];
  },
  clone: (tape, y) => [tape.make(y.shape, y.dtype), [], (grad) => tape.view(grad)],
  to(tape, y, { dtype }) {
    if (dtype === y.dtype) return [tape.view(y), [], (grad) => tape.view(grad)];
    return [tape.make(y.shape, dtype), [], () => tape.make(y.shape, y.dtype)];
  },
};
BILL_RULES.scalar = BILL_RULES.unary;

/** The source in its larger shape: a view, a copy, or itself. */
function enlarged(way, tape, x, shape) {
  if (way === "implicit") return [tape.view(x), [], (grad) => tape.view(grad)];
  if (way === "expand") return [tape.expanded(x, shape), [], (grad) => summedTo(tape, grad, x)];
  return [tape.make(shape, x.dtype), [], (grad) => summedTo(tape, grad, x)];
}

/** The bill of an expression: every line in bytes, logical and allocated, and the expression itself. */
function played({ sizes, dtype, way, learns, steps }, { operations, itemsizes }) {
  const tape = new Tape(itemsizes);
  const wanted = sizes.map(BigInt);
  const x = tape.outside(tape.dense([1n, 1n, wanted[2]], dtype));
  let [y, , back] = enlarged(way, tape, x, wanted);
  const made = y;
  const nodes = learns ? [{ saves: [], back }] : [];
  let shape = wanted;
  let code = { expand: `x.expand${pair(sizes)}`, repeat: `x.repeat${pair([sizes[0], sizes[1], 1])}`, implicit: "x" }[way];
  const operands = new Map();
  for (const name of steps) {
    const operation = operations[name];
    const key = `${shape} ${y.dtype}`;
    if (operation.operand && !operands.has(key))
      operands.set(key, { ...tape.outside(tape.dense(shape, y.dtype)), called: operands.size ? `other_${operands.size + 1}` : "other" });
    const other = operands.get(key);
    code = operation.torch.replace(/\{y\}/g, code).replace("{operand}", other?.called);
    let out, saves;
    [out, saves, back] = BILL_RULES[operation.kind](tape, y, operation, other);
    if (learns) nodes.push({ saves: saves.map((each) => tape.view(each)), back });
    tape.drop(y);
    y = out;
    if (["total", "mean", "reshape"].includes(operation.kind)) shape = y.shape;
  }
  const saved = nodes.flatMap(({ saves }) => saves);
  const kept = new Set([...saved, y, made].map(({ block }) => block));
  const temporaries = [...tape.own].reduce((sum, block) => (kept.has(block) ? sum : sum + tape.sizes[block]), 0n);
  const forward = tape.own.size && { made: tape.own.has(made.block), output: tape.own.has(y.block) && y.block !== made.block };
  const gradient = nodes.length ? backward(tape, y, nodes) : 0n;
  let [alive, peak] = [0n, 0n];
  for (const change of tape.changes) {
    alive += change;
    if (alive > peak) peak = alive;
  }
  const source = tape.bytes(x);
  const twice = (bytes) => [bytes, bytes];
  const logical = tape.bytes({ shape: wanted, dtype });
  return {
    code, logical, peak,
    lines: {
      source: twice(source),
      made: [way === "implicit" ? 0n : logical, forward.made ? tape.sizes[made.block] : 0n],
      temporaries: twice(temporaries),
      output: twice(forward.output ? tape.sizes[y.block] : 0n),
      saved: [saved.reduce((sum, each) => sum + tape.bytes(each), 0n), tape.distinct(saved)],
      gradient: twice(gradient),
      peak: twice(source + peak),
    },
  };
}

/** Play the backward pass; the bytes of the gradients that stay. */
function backward(tape, y, nodes) {
  const first = tape.sizes.length;
  const seed = tape.make(y.shape, y.dtype);
  let grad = tape.view(seed);
  for (const { saves, back } of [...nodes].reverse()) {
    const before = grad;
    grad = back(grad);
    tape.drop(before, ...saves);
  }
  if (grad === seed || !contiguous(grad, BigInt(tape.itemsizes[grad.dtype]))) {
    tape.make(grad.shape, grad.dtype);
    tape.drop(grad);
  }
  tape.drop(seed);
  return tape.sizes.reduce((sum, size, block) => (block >= first && tape.holders[block] > 0 ? sum + size : sum), 0n);
}

/** The bill in text, so that no number is rounded on its way. */
export function billOf(state, known) {
  const { code, logical, peak, lines } = played(state, known);
  const text = Object.entries(lines).map(([name, bytes]) => [name, bytes.map(String)]);
  return { code, logical: String(logical), peak: String(peak), lines: Object.fromEntries(text) };
}

/** A number of bytes, exact: whole units from the chosen one downwards. */
export function bytesText(bytes, unit) {
  const [terms, first] = [[], BYTE_UNITS.indexOf(unit)];
  let rest = BigInt(bytes);
  for (let k = first; k >= 0; k -= 1) {
    const size = 1n << BigInt(10 * k);
    if (rest / size || (!k && !terms.length)) terms.push(`${grouped(rest / size)} ${BYTE_UNITS[k]}`);
    rest %= size;
  }
  return terms.join(" + ");
}

/** What expanding saves against repeating: the most bytes alive at once beside the source, in the same expression. */
export function expandSaves(state, known) {
  const [expand, repeat] = ["expand", "repeat"].map((way) => played({ ...state, way }, known).peak);
  const verdict = expand === repeat ? "nothing" : 2n * expand === repeat ? "half" : "some";
  return { expand: String(expand), repeat: String(repeat), verdict };
}

/** The size that a text names, `4096`, `4,096` or `2**12`, or null: nothing typed is ever run. */
export function parseSize(typed, most) {
  const power = /^2\s*(?:\*\*|\^)\s*(\d{1,2})$/.exec(typed.trim());
  const plain = typed.trim().replace(/[,，_]/g, "");
  const size = power ? 2 ** Number(power[1]) : /^\d{1,8}$/.test(plain) ? Number(plain) : NaN;
  return size >= 1 && size <= most ? size : null;
}

/** The named bills, each legal on the controls. */
export function billPresets(words) {
  const large = { sizes: [32, 2048, 4096], dtype: "float16", way: "expand", learns: false, steps: [] };
  return [
    [words.preset_article, large],
    [words.preset_dense, { ...large, dtype: "float32", steps: ["shift"] }],
    [words.preset_sum, { ...large, dtype: "float32", steps: ["mul", "sum"] }],
    [words.preset_reshape, { ...large, dtype: "float32", steps: ["reshape"] }],
    [words.preset_square, { ...large, dtype: "float32", learns: true, steps: ["square", "sum"] }],
    [words.preset_dtype, { ...large, steps: ["to_float32"] }],
    [words.preset_small, { sizes: [1, 4, 3], dtype: "float64", way: "expand", learns: false, steps: ["add"] }],
  ];
}
