// ---- addresses, the explorer: what the controls, the pointer and the keys do to the drawing.

/** Put pieces in place, each made from what it shows; those that show what they did stay. */
function refresh(place, shown, made) {
  const before = place.shown ?? [];
  shown.forEach((what, k) => {
    if (k >= before.length) place.insertAdjacentHTML("beforeend", made(k));
    else if (what !== before[k]) place.children[k].outerHTML = made(k);
  });
  while (place.children.length > shown.length) place.lastElementChild.remove();
  place.shown = shown;
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
    tag("div", { class: "zs-head" },
      tag("code", {}), tag("span", {}), tag("div", { class: "zs-summary" }), tag("div", { class: "zs-note" })),
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
  const { put: write, start } = following(model, draw);

  function read() {
    const [dtype, itemsize] = dtypes[model.get("dtype")];
    const [operation, unit] = [operations[model.get("operation")], UNITS[model.get("unit")]];
    return { ...Object.fromEntries(NUMBERS.map((name) => [name, model.get(name)])), dtype, itemsize, operation, unit };
  }

  const grain = () => (base ? base.grain : state.itemsize);

  // A value outside the limits of its slider would be pulled back in by Python: first the limits, then the value.
  const outside = (value, low, high) => value < low || value > high || value % low;
  const widen = (names) => write(Object.fromEntries(names.flatMap((name) => [[`${name}_most`, most[name]], [`${name}_by`, 1]])));

  function draw() {
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
    paintAll();
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
    const still = gridNames(state, at) + strip(seen, at, id) + ruler(state, seen, at);
    refresh(part(".zs-still"), [still], () => tag("g", {}, still));
    const { left, cell, tall, small } = at;
    const ranks = (line) => line.map((byte) => seen.starts.indexOf(byte));
    const rows = seen.offsetsBytes.map((line, i) => `${[left, cell, tall, small, seen.values[i], seen.offsets[i], ranks(line)]}`);
    refresh(part(".zs-grid"), rows, (i) => gridRow(i, seen, at, id));
  }

  function head() {
    const told = {
      bytes: pair(seen.stridesBytes), elements: pair(seen.stridesElements.map((step) => step ?? "?")),
      read: grouped(seen.touchedBytes), stored: grouped(seen.storedBytes), logical: grouped(seen.logicalBytes),
    };
    const source = base ? shapeText([base.rows, base.cols]) : shapeText(sourceShape(state));
    const kept = keptSteps(state, seen);
    const said = [
      code(state, seen),
      base || state.operation !== "as_strided" ? fill(words.source, { shape: source }) : "",
      fill(words.summary, told).replace(/(\d) B/g, "$1\u00a0B"),
      kept.length ? fill(words.length_one, { kept: kept.join(words.comma) }) : "",
    ];
    [...part(".zs-head").children].forEach((place, k) => {
      if (place.textContent !== said[k]) place.textContent = said[k];
      place.hidden = !said[k];
    });
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
    paintAll();
  }

  /** Light what reads the byte that is pointed at, and say so. */
  function paintAll() {
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
    part(".zs-live").textContent = hidden ? asked() : view.revealed ? answeredNow(words, found, index()) : told();
    showAsking(root, view);
  }

  function paint(cell, hidden, found) {
    const name = cell.dataset.cell;
    const [i, j] = name.split(",").map(Number);
    const here = name === String(view.here);
    const marked = view.asking && view.marked.has(name);
    const verdict = markedAs(view, found, name);
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
      toggleMark(view, name);
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
    const others = root.querySelectorAll('.zs-cell[tabindex="0"]');
    if (others.length === 1 && others[0] === cell) return;
    for (const other of others) other.tabIndex = -1;
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
    askAnew(view, asking);
    Object.assign(view, { pinned: false, here: target });
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
  return start(root, [...NUMBERS, "dtype", "operation", "unit"], () => {
    const width = clamp(Math.round(root.clientWidth), 320, 880);
    if (root.clientWidth && width !== view.width) { view.width = width; draw(); }
  });
}

KINDS.addresses = renderAddresses;
