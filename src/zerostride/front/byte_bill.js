// ---- the drawing of the byte bill: one bar a line; the bill itself is played on a tape.

function renderByteBill({ model, el }) {
  const words = model.get("words");
  const known = { operations: model.get("operations"), itemsizes: model.get("itemsizes") };
  const dtypes = Object.keys(known.itemsizes);
  const [most, places] = [model.get("most"), model.get("places")];
  const named = billPresets(words);
  const view = { log: false, wrong: null, found: {}, won: null };
  const [, live, mission] = endBars(words);
  const size = (name, k) =>
    tag("div", { class: "zs-typed" },
      tag("label", {}, tag("span", {}, name), tag("input", { type: "text", "data-typed": name, spellcheck: "false", autocomplete: "off" })),
      dialOf(name, "", { min: 0, max: Math.log2(most[k]), "aria-label": fill(words.power_of, { name }) }));
  const written = (name) => known.operations[name].torch.replace("{y}", "y").replace("{operand}", "other").replace(/^\((.*)\)$/, "$1");
  const choices = ["", ...Object.keys(known.operations)].map((name) => tag("option", { value: name }, escape(name ? written(name) : words.no_step)));
  const step = (k) => tag("label", {}, escape(fill(words.step, { number: k + 1 })), tag("select", { "data-step": k }, choices));
  const labels = {
    source: words.line_source, made: words.line_made, temporaries: words.line_temporaries, output: words.line_output,
    saved: words.line_saved, gradient: words.line_gradient, peak: words.line_peak,
  };
  const line = (name) =>
    tag("tr", { "data-line": name }, tag("th", { scope: "row" }, escape(labels[name])),
      tag("td", { "aria-hidden": "true" }, ["logical", "allocated"].map((kind) => tag("span", { class: `zs-${kind}` }))), tag("td", {}, tag("b", {}), tag("small", {})));
  const root = rootIn(
    el,
    startBar(named, words),
    tag("div", { class: "zs-sizes" }, BILL_AXES.map(size)),
    tag("div", { class: "zs-steps" }, counted(places, step)),
    tag("div", { class: "zs-head" }),
    tag("table", { class: "zs-drawing zs-bill", "aria-label": words.table }, Object.keys(labels).map(line)),
    tag("div", { class: "zs-bar" }, button("scale", words.log), tag("span", { class: "zs-scale" })),
    live,
    mission,
  );
  const part = (selector) => root.querySelector(selector);
  let state;
  const { set, start } = following(model, draw);

  const read = () => ({
    sizes: model.get("sizes"), dtype: dtypes[model.get("dtype")], way: BILL_WAYS[model.get("way")],
    learns: model.get("learns"), steps: model.get("steps"), unit: BYTE_UNITS[model.get("unit")],
  });
  const shown = (bytes) => bytesText(bytes, state.unit);

  function draw() {
    state = read();
    state.sizes.forEach((each, k) => {
      const box = part(`[data-typed="${BILL_AXES[k]}"]`);
      if (document.activeElement !== box) settle(box);
      setDial(part(`[data-dial="${BILL_AXES[k]}"]`), { min: 0, max: Math.log2(most[k]) }, Math.floor(Math.log2(each)), grouped(each));
    });
    for (const box of root.querySelectorAll("select")) box.value = state.steps[box.dataset.step] ?? "";
    const bill = billOf(state, known);
    const told = { dtype: state.dtype, logical: shown(bill.logical) };
    const [source, wanted] = [[1, 1, state.sizes[2]], state.sizes].map(pair);
    part(".zs-head").innerHTML = tag("code", {}, escape(bill.code)) + tag("div", {}, escape(fill(words.summary, { ...told, source, wanted })));
    bars(bill);
    const saves = expandSaves(state, known);
    const peaks = { expand: shown(saves.expand), repeat: shown(saves.repeat) };
    const sentence = fill({ half: words.saves_half, nothing: words.saves_nothing, some: words.saves_some }[saves.verdict], peaks);
    part(".zs-live").textContent = view.wrong ? fill(words.typed_wrong, { most: grouped(most[BILL_AXES.indexOf(view.wrong)]) }) : sentence;
    view.found[saves.verdict] ??= bill.code.replace(/x\.(expand|repeat)\([\d, ]+\)/, "y");
    const { half, nothing } = view.found;
    if (half && nothing) view.won ??= { half, nothing };
    sayMission(root, words, view.won, { half: half ?? words.not_yet, nothing: nothing ?? words.not_yet });
    adopt(root);
  }

  function bars({ lines }) {
    const all = Object.values(lines).flat().map(BigInt);
    const longest = all.reduce((one, other) => (other > one ? other : one));
    const wide = (bytes) => (view.log ? (100 * Math.log2(Number(bytes) + 1)) / Math.log2(Number(longest) + 1) : Number((bytes * 100000n) / longest) / 1000);
    for (const [name, [logical, allocated]] of Object.entries(lines)) {
      const row = part(`[data-line="${name}"]`);
      for (const [kind, bytes] of [["logical", logical], ["allocated", allocated]]) {
        const bar = row.querySelector(`.zs-${kind}`);
        bar.style.width = `${wide(BigInt(bytes))}%`;
        bar.hidden = bytes === "0" || (kind === "logical" && logical === allocated);
      }
      if (name === "made") row.querySelector("th").textContent = { expand: words.made_expand, repeat: words.made_repeat, implicit: words.made_implicit }[state.way];
      row.querySelector("b").textContent = shown(allocated);
      row.querySelector("small").textContent = logical === allocated ? "" : fill(words.logical, { bytes: shown(logical) });
    }
    part('[data-do="scale"]').setAttribute("aria-pressed", view.log);
    part(".zs-scale").textContent = fill(view.log ? words.scale_log : words.scale_true, { longest: shown(longest) });
  }

  const sized = (name, value) => set({ sizes: state.sizes.map((each, k) => (BILL_AXES[k] === name ? value : each)) });

  function settle(box) {
    box.value = grouped(state.sizes[BILL_AXES.indexOf(box.dataset.typed)]);
    box.removeAttribute("aria-invalid");
    if (view.wrong === box.dataset.typed) view.wrong = null;
  }

  function type(box) {
    const value = parseSize(box.value, most[BILL_AXES.indexOf(box.dataset.typed)]);
    view.wrong = value === null ? box.dataset.typed : null;
    box.setAttribute("aria-invalid", value === null);
    if (value === null) draw();
    else sized(box.dataset.typed, value);
  }

  function choose({ dtype, way, unit = state.unit, ...values }) {
    set({ ...values, dtype: dtypes.indexOf(dtype), way: BILL_WAYS.indexOf(way), unit: BYTE_UNITS.indexOf(unit) });
  }

  const act = {
    reset: () => { Object.assign(view, { log: false, found: {}, won: null }); choose(model.get("initial")); },
    scale: () => { view.log = !view.log; draw(); },
  };
  named.forEach(([, values], k) => { act[`preset-${k}`] = () => choose(values); });

  root.addEventListener("input", ({ target }) => {
    const { typed, dial, step: place } = target.dataset;
    if (typed) type(target);
    else if (dial) sized(dial, 2 ** Number(target.value));
    else if (place) set({ steps: [...root.querySelectorAll("select")].flatMap(({ value }) => value || []) });
  });
  root.addEventListener("focusout", ({ target }) => { if (target.dataset.typed) { settle(target); draw(); } });
  root.addEventListener("click", ({ target }) => act[target.dataset.do]?.());
  return start(root, ["sizes", "dtype", "way", "learns", "steps", "unit"]);
}

KINDS.byte_bill = renderByteBill;
