// ---- derivative: a weighted sum of rows that read one source. Each use of x_j adds its weight, whatever the storage.

export const WAYS = ["expand", "repeat", "edited", "detach", "independent"];
export const REDUCTIONS = ["sum", "mean"];
export const MOST_WEIGHT = 12;
// Losses of up to 720 are rounded before they are subtracted: the worst difference is off by 2e-8.
const [STEP, DIVISOR, TOLERANCE] = [1e-5, 2e-5, 1e-7];
const MISSION_FACTOR = 8;
// The element that an edited clone overwrites, and what is written there.
const [EDITED, WRITTEN] = ["0,0", 9];

const minus = (number) => String(number).replace("-", "−");

/** The loss, element by element in double precision; `x` holds rows of its own where they are independent. */
function weightedLoss({ rows, cols, weights, way, reduction }, x) {
  let total = 0;
  for (let i = 0; i < rows; i += 1)
    for (let j = 0; j < cols; j += 1) {
      const written = way === "edited" && `${i},${j}` === EDITED;
      total += (written ? WRITTEN : way === "independent" ? x[i][j] : x[j]) * weights[i][j];
    }
  return reduction === "mean" ? total / (rows * cols) : total;
}

/** What each component of the derivative is: its uses, their weights, the exact sum, and the central difference. */
export function derivativeOf(state) {
  const { rows, cols, weights, way, reduction } = state;
  const alone = way === "independent";
  const factor = reduction === "mean" ? rows * cols : 1;
  const row = counted(cols, (j) => j + 1);
  const source = () => (alone ? counted(rows, () => [...row]) : [...row]);
  const moved = (i, j, by) => {
    const x = source();
    (alone ? x[i] : x)[j] += by;
    return weightedLoss(state, x);
  };
  const part = (i, j) => {
    const readers = alone ? [i] : counted(rows, (k) => k);
    const uses = readers.map((k) => `${k},${j}`).filter((use) => way !== "edited" || use !== EDITED);
    const terms = uses.map((use) => weights[use.split(",")[0]][j]);
    const total = terms.reduce((sum, term) => sum + term, 0);
    const difference = (moved(i, j, STEP) - moved(i, j, -STEP)) / DIVISOR;
    const whole = way === "detach" ? null : total;
    return { name: alone ? `${i},${j}` : `${j}`, uses, terms, total: whole, difference, agrees: whole !== null && Math.abs(difference - total / factor) <= TOLERANCE };
  };
  const parts = counted(alone ? rows : 1, (i) => row.map((_, j) => part(i, j))).flat();
  return { factor, parts, loss: weightedLoss(state, source()) };
}

/** A whole number over a whole number, in lowest terms. */
export function fractionText(total, factor) {
  const common = (a, b) => (b ? common(b, a % b) : Math.abs(a));
  const by = common(total, factor);
  return factor === by ? minus(total / by) : minus(`${total / by}/${factor / by}`);
}

/** The sum of the uses, and the division of a mean: `(1 + 4) ÷ 4`. */
export function sumText(terms, factor) {
  if (!terms.length) return "0";
  const sum = terms.map((term, k) => (k ? `${term < 0 ? "−" : "+"} ${Math.abs(term)}` : minus(term))).join(" ");
  return factor === 1 ? sum : `${terms.length > 1 ? `(${sum})` : sum} ÷ ${factor}`;
}

/** Which components move when the weight of one element grows. */
export const movedBy = (seen, way, name) =>
  way === "detach" ? [] : seen.parts.filter(({ uses }) => uses.includes(name)).map((part) => part.name);

/** The derivative as Python writes it: whole numbers and fractions, or None where the path is cut. */
export function derivativeText(state, { parts, factor }) {
  if (state.way === "detach") return "None";
  const values = parts.map(({ total }) => fractionText(total, factor));
  if (state.way !== "independent") return shapeText(values);
  return pair(counted(state.rows, (i) => shapeText(values.slice(i * state.cols, (i + 1) * state.cols))));
}

/** The missions that a step from one state to the next solves, and what solved each. */
export function derivativeMissions(before, now) {
  const seen = derivativeOf(now);
  const same = (...names) => before && names.every((name) => String(before[name]) === String(now[name]));
  const solved = {};
  if (same("rows", "cols", "weights", "reduction") && String([before.way, now.way].sort()) === "expand,repeat")
    solved.storage = { before: before.way, after: now.way, derivative: derivativeText(now, seen) };
  if (same("rows", "cols", "way", "reduction") && now.way !== "detach") {
    const [old, fresh] = [derivativeOf(before).parts, seen.parts];
    const weights = now.weights.flat().flatMap((weight, k) => (weight !== before.weights.flat()[k] ? [k] : []));
    const moved = fresh.flatMap(({ total }, k) => (total !== old[k].total ? [k] : []));
    if (weights.length === 1 && moved.length === 1) {
      const [[k], [at]] = [moved, weights];
      const [from, to] = [old, fresh].map((parts) => fractionText(parts[k].total, seen.factor));
      solved.one = { i: Math.floor(at / now.cols), j: at % now.cols, name: componentText(fresh[k].name), from, to };
    }
  }
  if (now.reduction === "mean" && now.rows * now.cols === MISSION_FACTOR)
    solved.factor = { shape: pair([now.rows, now.cols]), factor: MISSION_FACTOR };
  return solved;
}

/** How a component is called: x[0, 0], or p[0, 0] where every row is a parameter of its own. */
const componentText = (name) => (name.includes(",") ? `p[${name.replace(",", ", ")}]` : `x[0, ${name}]`);

/** The named starting points; weights beyond the shown rows and columns are 1. */
export function derivativePresets(words, most) {
  const grid = (rows, cols, each) => counted(most.rows, (i) => counted(most.cols, (j) => (i < rows && j < cols ? each(i, j) : 1)));
  const start = (more = {}, each = (i, j) => 3 * i + j + 1) => ({ rows: 4, cols: 3, weights: grid(4, 3, each), way: "expand", reduction: "sum", ...more });
  return [
    [words.preset_counting, start()],
    [words.preset_ones, start({}, () => 1)],
    [words.preset_signs, start({}, (i, j) => ((i + j) % 2 ? -1 : 1))],
    [words.preset_mean, start({ reduction: "mean" })],
    [words.preset_edited, start({ way: "edited" })],
    [words.preset_detach, start({ way: "detach" })],
    [words.preset_independent, start({ way: "independent" })],
  ];
}

/** The program that is differentiated, as torch writes it. */
export function derivativeCode({ rows, cols, way, reduction }) {
  const rowsOf = {
    expand: `y = x.expand(${rows}, ${cols})`,
    repeat: `y = x.repeat(${rows}, 1)`,
    edited: `y = x.expand(${rows}, ${cols}).clone(); y[0, 0] = ${WRITTEN}`,
    detach: `y = x.detach().expand(${rows}, ${cols})`,
    independent: `y = p = Parameter(x.repeat(${rows}, 1))`,
  };
  return `${rowsOf[way]}; loss = (y * w).${reduction}()`;
}
