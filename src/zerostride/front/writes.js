// ---- writes: one source, its view and two copies. What a library does with a write comes in with the model, measured
// in Python; which cells lie on the written bytes is computed here.

export const TARGETS = ["source", "view", "tiled", "edited"];
export const FORMS = ["element", "row", "column", "all"];
const FIRST_VALUE = 9;
const WRITE_NUMBERS = ["rows", "cols", "library", "form", "target", "row", "col"];

const heightOf = (target, rows) => (target === "source" ? 1 : rows);
const cellsOf = (target, { rows, cols }) =>
  counted(heightOf(target, rows), (i) => counted(cols, (j) => [i, j])).flat();
/** Source and view lie on one storage, each copy on its own. */
const placeIn = (target, [i, j]) => (["source", "view"].includes(target) ? `${j}` : `${target} ${i},${j}`);

/** The statement without its value: `view[2, 1]`. */
export function written({ target, form, row, col }) {
  return `${target}[${{ element: `${row}, ${col}`, row: `${row}`, column: `:, ${col}`, all: ":" }[form]}]`;
}

/** The cells that a statement names. */
export function namedCells({ target, form, row, col, ...size }) {
  const whole = { row: ["row", "element"].includes(form), col: ["column", "element"].includes(form) };
  return cellsOf(target, size).filter(([i, j]) => (!whole.row || i === row) && (!whole.col || j === col));
}

/** What the library does with it: an outcome, and the error of a refusal. Along one row nothing is shared. */
export function outcomeOf({ library, target, form, rows }, policies) {
  const [outcome, error] = policies[library].outcomes[target][form][rows === 1 ? 1 : 0];
  return { outcome, error };
}

/** The cells of each array that change. */
export function changedBy(state, policies) {
  const refused = outcomeOf(state, policies).outcome === "raises";
  const places = new Set(refused ? [] : namedCells(state).map((cell) => placeIn(state.target, cell)));
  const hit = (target) => cellsOf(target, state).filter((cell) => places.has(placeIn(target, cell)));
  return Object.fromEntries(TARGETS.map((target) => [target, hit(target).map(String)]));
}

/** The mission: a write to the view that NumPy refused, and that in torch changed cells it does not name. */
export function sameWrite(tries) {
  const refused = tries.filter(({ library, outcome }) => library === "numpy" && outcome === "raises");
  const silent = tries.filter(({ library, outcome, beyond }) => library === "torch" && outcome === "together" && beyond);
  const both = silent.find(({ code, size }) => refused.some((other) => other.code === code && other.size === size));
  return { refused: refused.at(-1)?.code ?? null, silent: silent.at(-1)?.code ?? null, both: both ?? null };
}

/** How each array is made, as it is typed. */
export function madeBy(target, { rows, cols, library }) {
  const torch = library === "torch";
  const numbers = `[[${cols > 3 ? `1.0, …, ${cols}.0` : counted(cols, (j) => `${j + 1}.0`).join(", ")}]]`;
  return {
    source: torch ? `torch.tensor(${numbers})` : `np.array(${numbers})`,
    view: torch ? `source.expand(${rows}, ${cols})` : `np.broadcast_to(source, (${rows}, ${cols}))`,
    tiled: torch ? `source.repeat(${rows}, 1)` : `np.tile(source, (${rows}, 1))`,
    edited: torch ? "view.clone()" : "view.copy()",
  }[target];
}

/** The named starting points: the size, and the write that is run there. */
export function writePresets(words) {
  const write = (library, target, form, row = 0, rows = 4) => ({ rows, cols: 3, library, form, target, row, col: 1 });
  return [
    [words.preset_source, write("numpy", "source", "element")],
    [words.preset_view_numpy, write("numpy", "view", "element", 2)],
    [words.preset_view_torch, write("torch", "view", "element", 2)],
    [words.preset_row, write("torch", "view", "row", 2)],
    [words.preset_column, write("torch", "view", "column")],
    [words.preset_copy, write("torch", "edited", "element", 2)],
    [words.preset_one_row, write("torch", "view", "column", 0, 1)],
  ];
}

function writeGrid(target, state) {
  const line = (i) => tag("div", { role: "row" }, counted(state.cols, (j) =>
    tag("div", { role: "gridcell", class: "zs-box", tabindex: i || j ? -1 : 0, "data-cell": `${target}:${i},${j}` }, tag("i", { "aria-hidden": "true" }), tag("b", {}))));
  return tag("section", { class: "zs-array", "data-array": target, "aria-label": target },
    tag("p", { class: "zs-name" }, tag("b", {}, target), tag("span", {})),
    tag("code", {}, escape(madeBy(target, state))),
    tag("div", { role: "grid", "aria-label": target }, counted(heightOf(target, state.rows), line)),
    tag("p", { class: "zs-count" }));
}

function renderWrites({ model, el }) {
  const words = model.get("words");
  const policies = model.get("policies");
  const named = writePresets(words);
  const view = { history: [], tries: [], asking: false, revealed: false, marked: new Set(), cleared: false, won: null };
  const root = rootIn(
    el,
    startBar(named, words),
    tag("div", { class: "zs-bar zs-told" }, tag("p", { class: "zs-formula" }), button("undo", words.undo)),
    tag("div", { class: "zs-drawing zs-arrays" }),
    endBars(words),
  );
  const part = (selector) => root.querySelector(selector);
  let state, wanted;
  const { set, start } = following(model, draw);

  function read() {
    const values = Object.fromEntries(WRITE_NUMBERS.map((name) => [name, model.get(name)]));
    const [library, form, target] = [LIBRARIES[values.library], FORMS[values.form], TARGETS[values.target]];
    const row = clamp(values.row, 0, heightOf(target, values.rows) - 1);
    return { ...values, library, form, target, row, col: clamp(values.col, 0, values.cols - 1) };
  }

  function draw() {
    const before = state;
    const held = root.contains(document.activeElement) && document.activeElement.dataset.cell;
    state = read();
    if (!before || ["rows", "cols", "library"].some((name) => before[name] !== state[name])) {
      view.history = [];
      part(".zs-arrays").style.setProperty("--zs-cols", state.cols);
      part(".zs-arrays").innerHTML = TARGETS.map((target) => writeGrid(target, state)).join("");
    }
    const now = JSON.stringify(changedBy(state, policies));
    if (view.asking && wanted !== now) clearMarks(view);
    wanted = now;
    light();
    if (held) step(part(`[data-cell="${held}"]`) ?? part(`[data-cell="${held.split(":")[0]}:0,0"]`));
    adopt(root);
  }

  /** Set values, which the linked controls and Python follow. */
  function write(values) {
    const numbers = { library: LIBRARIES, form: FORMS, target: TARGETS };
    set(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, numbers[name]?.indexOf(value) ?? value])));
  }

  const value = () => FIRST_VALUE + view.history.filter(({ outcome }) => outcome !== "raises").length;

  /** Run the write that the state describes. */
  function run() {
    const [changed, told, code] = [changedBy(state, policies), outcomeOf(state, policies), written(state)];
    const names = namedCells(state).map(String);
    const entry = { ...told, changed, names, value: value(), code: `${code} = ${value()}`, target: state.target };
    view.history.push(entry);
    if (state.target === "view") {
      const beyond = changed.view.length > names.length;
      view.tries.push({ code, library: state.library, outcome: told.outcome, beyond, size: pair([state.rows, state.cols]), count: total(changed) });
    }
    const { both } = sameWrite(view.tries);
    view.won ||= both;
    light();
  }

  const total = (changed) => Object.values(changed).flat().length;
  const shown = (target, name) => view.history.findLast(({ changed }) => changed[target].includes(name))?.value ?? Number(name.split(",")[1]) + 1;

  function light() {
    const hidden = view.asking && !view.revealed;
    const last = hidden ? null : view.history.at(-1);
    const answer = Object.entries(changedBy(state, policies)).flatMap(([target, cells]) => cells.map((name) => `${target}:${name}`));
    const found = compareMarks(view.marked, answer, null);
    for (const cell of root.querySelectorAll("[data-cell]")) paint(cell, hidden, last, found);
    for (const target of TARGETS) label(target, hidden, last);
    part(".zs-formula").innerHTML = headline(hidden, last);
    part(".zs-live").textContent = hidden ? askedNow(words, view, question()) : (view.revealed ? answeredNow(words, found) + words.space : "") + told(last);
    showAsking(root, view);
    part('[data-do="undo"]').disabled = view.asking || !view.history.length;
    mission();
  }

  function paint(cell, hidden, last, found) {
    const name = cell.dataset.cell;
    const [target, at] = name.split(":");
    const changed = Boolean(last?.changed[target].includes(at));
    const names = hidden ? namedCells(state).map(String) : (last?.names ?? []);
    const aimed = (hidden ? state.target : last?.target) === target && names.includes(at);
    const marked = view.asking && view.marked.has(name);
    const verdict = markedAs(view, found, name);
    const refused = aimed && last?.outcome === "raises";
    const states = { lit: changed, aimed, refused, marked: marked && hidden, right: verdict === "right", missed: verdict === "missed", extra: verdict === "extra" };
    cell.className = ["zs-box", ...Object.keys(states).filter((kind) => states[kind]).map((kind) => `zs-${kind}`)].join(" ");
    const sign = { right: "✓", missed: "!", extra: "✗" }[verdict] ?? (refused ? "⊘" : marked || changed ? "●" : "");
    cell.firstChild.textContent = (aimed ? "✎" : "") + sign;
    cell.lastChild.textContent = shown(target, at);
    const said = [`${target}[${at.replace(",", ", ")}]: ${shown(target, at)}`, changed && words.cell_changed, refused && words.cell_refused, verdict && words[`cell_${verdict}`]];
    cell.setAttribute("aria-label", said.filter(Boolean).join(words.comma));
    cell.setAttribute("aria-selected", marked);
  }

  /** Storage and count of an array; the marks of the storages give the answer away, so a class does not see them first. */
  function label(target, hidden, last) {
    const place = part(`[data-array="${target}"]`);
    const size = 8 * state.cols * heightOf(target === "view" ? "source" : target, state.rows);
    const storage = { source: "●", view: "●", tiled: "▲", edited: "■" }[target];
    place.querySelector(".zs-name span").textContent = hidden ? "" : `${storage} ${size} B`;
    const count = last?.changed[target].length ?? 0;
    const of = state.cols * heightOf(target, state.rows);
    place.querySelector(".zs-count").textContent = last ? fill(words.count, { count, of }) : "";
    place.classList.toggle("zs-touched", count > 0);
  }

  const question = () => ({ code: `${written(state)} = ${value()}`, library: policies[state.library].name });

  function headline(hidden, last) {
    const name = tag("span", {}, escape(policies[state.library].name));
    if (hidden) return `${name}${tag("code", {}, escape(question().code))} → ?`;
    if (!last) return name;
    const verdict = last.outcome === "raises" ? tag("b", { class: "zs-no" }, "✗ ", escape(last.error.split(":")[0])) : tag("b", {}, "✓ ", escape(words.ran));
    return `${name}${tag("code", {}, escape(last.code))} → ${verdict}`;
  }

  function told(last) {
    if (!last) return words.start;
    const where = { ...last, library: policies[state.library].name, count: total(last.changed) };
    const told = { raises: words.outcome_raises, together: words.outcome_together, safe: words.outcome_safe };
    return fill(told[last.outcome], where);
  }

  function mission() {
    const { refused, silent } = sameWrite(view.tries);
    sayMission(root, words, view.won, { refused: refused ?? words.none, silent: silent ?? words.none });
  }

  function press(cell) {
    const [target, row, col] = cell.dataset.cell.split(/[:,]/);
    if (!view.asking) { write({ target, row: Number(row), col: Number(col) }); return run(); }
    if (view.revealed) return;
    toggleMark(view, cell.dataset.cell);
    light();
  }

  function walk(event) {
    const cell = event.target.closest("[data-cell]");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const [target, i, j] = cell.dataset.cell.split(/[:,]/);
    const next = moved(event.key, [Number(i), Number(j)], [heightOf(target, state.rows) - 1, state.cols - 1]);
    if (next) step(part(`[data-cell="${target}:${next}"]`));
    else if (event.key === "Enter" || event.key === " ") press(cell);
    else return;
    event.preventDefault();
  }

  function step(cell) {
    cell.closest('[role="grid"]').querySelector('[tabindex="0"]').tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
  }

  /** Another write to ask for: the next array, and a cell further on. */
  function further() {
    const target = TARGETS[(TARGETS.indexOf(state.target) + 1) % TARGETS.length];
    return { target, row: (state.row + 1) % heightOf(target, state.rows), col: (state.col + 1) % state.cols };
  }

  const act = {
    reset: () => { Object.assign(view, { history: [], tries: [], won: null }); askAnew(view, false); write(model.get("initial")); },
    undo: () => { view.history.pop(); light(); },
    ask: () => { askAnew(view, !view.asking); draw(); },
    reveal: () => { view.revealed = true; view.cleared = false; run(); part('[data-do="next"]').focus(); },
    next: () => { askAnew(view, true); write(further()); part('[data-do="reveal"]').focus(); },
  };
  named.forEach(([, values], k) => {
    act[`preset-${k}`] = () => { view.history = []; write(values); if (view.asking) { askAnew(view, true); draw(); } else run(); };
  });

  root.addEventListener("keydown", walk);
  root.addEventListener("click", ({ target }) => {
    const cell = target.closest("[data-cell]");
    if (cell) { step(cell); press(cell); }
    act[target.dataset.do]?.();
  });
  return start(root, WRITE_NUMBERS);
}

KINDS.writes = renderWrites;
