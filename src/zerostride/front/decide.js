// ---- the guide: questions, and the answer that stands for them in the table; what the checks found comes from a kernel.

/** The answer to what is chosen: the table has one row per combination, the last question moving fastest. */
export function decisionOf({ answers, texts, rows }, sizes, chosen) {
  const row = rows[chosen.reduce((place, at, k) => place * sizes[k] + at, 0)];
  const [answer, code, reasons, checks, open] = row;
  const read = (places) => places.map((place) => texts[place]);
  return { answer: answers[answer], code: read(code), reasons: read(reasons), checks: checks.map(read), open: read(open) };
}

/** Six situations, for shapes whose size-one axes grow: who is edited, who learns, what follows, which library. */
export const decidePresets = (words) => [
  [words.preset_bias, [0, 1, 0, 1]],
  [words.preset_position, [0, 0, 1, 0]],
  [words.preset_edits, [3, 0, 0, 0]],
  [words.preset_learning, [0, 2, 6, 1]],
  [words.preset_mask, [2, 0, 1, 1]],
  [words.preset_extension, [0, 0, 3, 0]],
];

/** What was found, where it belongs to what is chosen now. */
export const foundNow = (found, chosen, checks) =>
  String(found.chosen) === String(chosen) && found.checks.length === checks.length ? found.checks : null;

function renderDecide({ model, el }) {
  const words = model.get("words");
  const questions = model.get("questions");
  const table = model.get("table");
  const sizes = questions.map(({ choices }) => choices.length);
  const named = decidePresets(words);
  const view = { reached: new Set(), won: null };
  const id = `zs-${views++}`;
  const choice = (question, k, label) =>
    tag("label", {}, tag("input", { type: "radio", name: `${id}-${question}`, "data-question": question, value: k }), tag("span", {}, escape(label)));
  const asked = questions.map(({ asks, choices }, question) =>
    tag("fieldset", {}, tag("legend", {}, escape(asks)), choices.map((label, k) => choice(question, k, label))));
  const [, , mission] = endBars(words);
  // A heading would not fit the levels around it.
  const block = (name, title) =>
    tag("div", { class: `zs-${name}`, role: "group", "aria-label": title }, tag("p", { class: "zs-title" }, escape(title)), tag("div", {}));
  const root = rootIn(
    el,
    startBar(named, words),
    tag("div", { class: "zs-questions" }, asked),
    tag("p", { class: "zs-answer zs-live", role: "status", "aria-live": "polite" }),
    tag("div", { class: "zs-drawing zs-decided" }, block("code", words.code), block("because", words.because), block("checks", words.checks), block("open", words.left_open)),
    mission,
  );
  const part = (selector) => root.querySelector(selector);
  const list = (items) => tag("ul", {}, items.map((item) => tag("li", {}, item)));

  function show(name, items, inside) {
    part(`.zs-${name}`).hidden = !items.length;
    part(`.zs-${name} > div`).innerHTML = inside;
  }

  function draw() {
    const chosen = model.get("chosen");
    chosen.forEach((k, question) => { part(`[data-question="${question}"][value="${k}"]`).checked = true; });
    const seen = decisionOf(table, sizes, chosen);
    const said = fill(words.answer, { answer: seen.answer });
    if (part(".zs-answer").textContent !== said) part(".zs-answer").textContent = said;
    const code = [...new Set(seen.code)].filter(Boolean);
    show("code", code, code.map((lines) => tag("pre", {}, escape(lines))).join(""));
    show("because", seen.reasons, list(seen.reasons.map(escape)));
    show("open", seen.open, list(seen.open.map(escape)));
    checks(seen.checks, foundNow(model.get("found"), chosen, seen.checks));
    reach(seen.answer);
    adopt(root);
  }

  function checks(wanted, found) {
    const items = wanted.map(([title, link], k) => {
      const [status, word, told] = found?.[k] ?? ["", "", ""];
      const sign = { passed: "✓ ", failed: "✗ " }[status] ?? "○ ";
      const parts = { title: tag("b", { class: status === "failed" ? "zs-no" : "" }, sign + escape(title)), status: escape(word), told: escape(told) };
      return `${fill(found ? words.check : words.waiting, parts)} ${tag("small", {}, escape(link))}`;
    });
    show("checks", items, list(items));
  }

  function reach(answer) {
    view.reached.add(answer);
    const missing = table.answers.filter((each) => !view.reached.has(each));
    const all = table.answers.length;
    if (!missing.length) view.won ??= { all };
    sayMission(root, words, view.won, { count: view.reached.size, all, missing: missing.join(words.comma) });
  }

  function choose(chosen) {
    model.set("chosen", chosen);
    model.save_changes();
  }

  const act = { reset: () => { Object.assign(view, { reached: new Set(), won: null }); choose(model.get("initial").chosen); draw(); } };
  named.forEach(([, values], k) => { act[`preset-${k}`] = () => choose([model.get("chosen")[0], ...values]); });

  root.addEventListener("change", ({ target }) => {
    const question = Number(target.dataset.question);
    choose(model.get("chosen").map((at, k) => (k === question ? Number(target.value) : at)));
  });
  root.addEventListener("click", ({ target }) => act[target.dataset.do]?.());
  return following(model, draw).start(root, ["chosen", "found"]);
}

KINDS.decide = renderDecide;
