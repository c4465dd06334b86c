// ---- the drawing of weights and of the derivative below them.

function renderDerivative({ model, el }) {
  const words = model.get("words");
  const most = model.get("most");
  const named = derivativePresets(words, most);
  const missions = {
    storage: { mission: words.mission_storage, mission_now: words.now_storage, mission_won: words.won_storage },
    one: { mission: words.mission_one, mission_now: words.now_one, mission_won: words.won_one },
    factor: { mission: words.mission_factor, mission_now: words.now_factor, mission_won: words.won_factor },
  };
  const view = { here: "2,1", asking: false, revealed: false, marked: new Set(), cleared: false, won: {} };
  const ends = endBars(words);
  const root = rootIn(
    el,
    startBar(named, words),
    tag("div", { class: "zs-head" }),
    tag("div", { class: "zs-wide" }),
    ends.slice(0, 2),
    Object.keys(missions).map((name) => tag("div", { "data-mission": name }, ends[2])),
  );
  const part = (selector) => root.querySelector(selector);
  const all = (selector) => root.querySelectorAll(selector);
  let state, seen, built;
  const { set, start } = following(model, draw);

  function read() {
    const [rows, cols] = [model.get("rows"), model.get("cols")];
    const weights = model.get("weights").slice(0, rows).map((row) => row.slice(0, cols));
    return { rows, cols, weights, way: WAYS[model.get("way")], reduction: REDUCTIONS[model.get("reduction")] };
  }

  function draw() {
    const before = state;
    state = read();
    const answer = before && String([before.way, wanted()]);
    seen = derivativeOf(state);
    const [i, j] = place(view.here);
    view.here = `${clamp(i, 0, state.rows - 1)},${clamp(j, 0, state.cols - 1)}`;
    if (before && answer !== String([state.way, wanted()])) clearMarks(view);
    const now = String([state.rows, state.cols, state.way === "independent"]);
    if (now !== built) {
      part(".zs-wide").innerHTML = table();
      // Not as an attribute: a page may allow no inline styles.
      Object.assign(part(".zs-weights").style, { minWidth: `${104 + 72 * state.cols}px`, maxWidth: `${120 + 178 * state.cols}px` });
    }
    built = now;
    part(".zs-head").innerHTML = derivativeCode(state).split("; ").map((line) => tag("code", {}, escape(line))).join(" ");
    for (const input of all("[data-dial]")) turn(input);
    light();
    for (const [name, won] of Object.entries(derivativeMissions(before, state))) view.won[name] ??= won;
    for (const name of Object.keys(missions))
      sayMission(part(`[data-mission="${name}"]`), { ...words, ...missions[name] }, view.won[name], { factor: seen.factor });
    adopt(root);
  }

  const place = (name) => name.split(",").map(Number);
  const wanted = () => movedBy(seen, state.way, view.here);

  function table() {
    const { rows, cols } = state;
    const line = (name, label, cell) => tag("tr", { class: `zs-${name}` }, tag("th", { scope: "row" }, label), counted(cols, cell));
    const lines = (each) => counted(rows, each);
    const source = tag("tr", {}, tag("th", { scope: "row" }, escape(words.source)),
      counted(cols, (j) => tag("th", { scope: "col" }, tag("code", {}, `${componentText(`${j}`)} = ${j + 1}`))));
    const weight = (i, j) =>
      tag("td", { "data-weight": `${i},${j}` }, tag("b", {}),
        tag("input", { type: "range", "data-dial": `${i},${j}`, step: 1, "aria-label": `w[${i}, ${j}]` }), tag("small", {}));
    const component = (name) =>
      tag("td", { "data-part": name }, ["terms", "value", "uses", "difference"].map((each) => tag(each === "value" ? "b" : "small", { class: `zs-${each}` })),
        tag("i", {}), button(`mark-${name}`, ""));
    const below = tag("small", {}, escape(words.below));
    const parts = state.way === "independent"
      ? lines((i) => line("part", tag("code", {}, `∂L/∂p[${i}]`) + (i ? "" : below), (j) => component(`${i},${j}`)))
      : line("part", tag("code", {}, "∂L/∂x") + below, (j) => component(`${j}`));
    const weights = lines((i) => line("row", tag("code", {}, `w[${i}]`), (j) => weight(i, j)));
    const look = { class: "zs-drawing zs-shapes zs-weights", "aria-label": words.table };
    return tag("table", look, source, weights, parts);
  }

  function turn(input) {
    const [i, j] = place(input.dataset.dial);
    const weight = state.weights[i][j];
    setDial(input, { min: -MOST_WEIGHT, max: MOST_WEIGHT }, weight, minus(weight));
    const cell = input.parentElement;
    cell.querySelector("b").textContent = minus(weight);
    cell.querySelector("small").textContent = state.way === "edited" && input.dataset.dial === EDITED ? fill(words.edited, { value: WRITTEN }) : "";
  }

  function light() {
    const hidden = view.asking && !view.revealed;
    const found = compareMarks(view.marked, wanted(), null);
    const uses = new Set(seen.parts.filter(({ name }) => wanted().includes(name)).flatMap((each) => each.uses));
    for (const cell of all("[data-weight]")) {
      const name = cell.dataset.weight;
      cell.classList.toggle("zs-stretched", !hidden && uses.has(name));
      cell.classList.toggle("zs-asked", name === view.here);
      cell.classList.toggle("zs-none", state.way === "edited" && name === EDITED);
    }
    for (const each of seen.parts) component(each, hidden, found);
    part(".zs-live").textContent = hidden ? askedNow(words, view, here()) : view.revealed ? answeredNow(words, found, here()) : told();
    showAsking(root, view);
  }

  function component({ name, uses, terms, total, difference, agrees }, hidden, found) {
    const cell = part(`[data-part="${name}"]`);
    const write = (selector, words) => { cell.querySelector(selector).textContent = hidden ? "" : words; };
    const value = total === null ? "None" : `= ${fractionText(total, seen.factor)}`;
    const added = sumText(terms, seen.factor).replace(" ÷ ", " ÷\u00a0");
    const verdict = markedAs(view, found, name);
    write(".zs-terms", total === null ? words.cut : added);
    write("b", value);
    write(".zs-uses", fill(words.uses, { count: uses.length }));
    write(".zs-difference", `${minus(difference.toFixed(8))} ${agrees ? "✓" : "✗"}`);
    write("i", verdict ? words[`cell_${verdict}`] : "");
    cell.classList.toggle("zs-stretched", !hidden && wanted().includes(name));
    cell.classList.toggle("zs-refused", !hidden && !agrees);
    const press = cell.querySelector("button");
    press.hidden = !hidden;
    press.textContent = view.marked.has(name) ? `● ${words.marked}` : words.mark;
    press.setAttribute("aria-label", fill(words.mark_part, { name: componentText(name) }));
    press.setAttribute("aria-pressed", view.marked.has(name));
  }

  function here() {
    const [i, j] = place(view.here);
    return { i, j, weight: minus(state.weights[i][j]), step: fractionText(1, seen.factor), value: WRITTEN };
  }

  function told() {
    if (state.way === "detach") return words.told_detach;
    if (!wanted().length) return fill(words.told_edited, here());
    const [each] = seen.parts.filter(({ name }) => wanted().includes(name));
    return fill(words.told, { ...here(), name: componentText(each.name), count: each.uses.length });
  }

  function slide({ dataset, value }) {
    const [i, j] = place(dataset.dial);
    const weights = model.get("weights").map((row) => [...row]);
    weights[i][j] = Number(value);
    set({ weights });
  }

  const choose = (values) => set({ ...values, way: WAYS.indexOf(values.way), reduction: REDUCTIONS.indexOf(values.reduction) });

  function aim(target, asking) {
    view.here = target;
    askAnew(view, asking);
  }

  function ask(target, asking) {
    aim(target, asking);
    light();
  }

  function next() {
    const [i, j] = place(view.here);
    ask(`${(i + 1) % state.rows},${(j + 1) % state.cols}`, true);
    part('[data-do="reveal"]').focus();
  }

  function toggle(name) {
    toggleMark(view, name);
    light();
  }

  function point(target) {
    const name = target.closest?.("[data-weight]")?.dataset.weight;
    if (!name || view.asking || name === view.here) return;
    view.here = name;
    light();
  }

  const act = {
    // There may be no such weight before the sizes are those of the start: nothing is drawn until then.
    reset: () => { aim("2,1", false); view.won = {}; state = undefined; choose(model.get("initial")); },
    ask: () => ask(view.here, !view.asking),
    reveal: () => { view.revealed = true; view.cleared = false; light(); part('[data-do="next"]').focus(); },
    next,
  };
  named.forEach(([, values], k) => { act[`preset-${k}`] = () => choose(values); });

  root.addEventListener("input", ({ target }) => slide(target));
  root.addEventListener("pointerover", ({ target }) => point(target));
  root.addEventListener("focusin", ({ target }) => point(target));
  root.addEventListener("click", ({ target }) => {
    const name = target.dataset.do ?? "";
    if (name.startsWith("mark-")) toggle(name.slice(5));
    else act[name]?.();
  });
  return start(root, ["rows", "cols", "weights", "way", "reduction"]);
}

KINDS.derivative = renderDerivative;
