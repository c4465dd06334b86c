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
  const { set, start } = following(model, draw);
  const told = {};

  const read = () => ({ source: model.get("source"), target: model.get("target"), library: LIBRARIES[model.get("library")] });

  function draw() {
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
    part(".zs-live").textContent = problem() ?? (hidden ? askedNow(words, view, {}) : view.revealed ? answeredNow(words, found) : "");
    showAsking(root, view, false);
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
    const mark = markedAs(view, found, name);
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

  const problem = () => (told.source || told.target ? fill(words.typed_wrong, { most: MOST_SIZE, axes: MOST_AXES }) : null);

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
    askAnew(view, asking);
    light();
  }

  const act = {
    reset: () => { ask(false); view.won = null; choose(model.get("initial")); },
    ask: () => ask(!view.asking),
    reveal: () => { view.revealed = true; view.cleared = false; light(); part('[data-do="ask"]').focus(); },
  };
  named.forEach(([, values], k) => { act[`preset-${k}`] = () => choose(values); });
  for (const k of columns)
    act[`mark-${k}`] = () => { toggleMark(view, String(k)); light(); };

  root.addEventListener("input", ({ target }) => (target.dataset.typed ? type(target) : slide(target)));
  root.addEventListener("focusout", ({ target }) => { if (target.dataset.typed) leave(target); });
  root.addEventListener("click", ({ target }) => act[target.dataset.do]?.());
  return start(root, ["source", "target", "library"]);
}

KINDS.shapes = renderShapes;
