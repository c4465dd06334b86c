// One question: choices, how sure, a button. Words come from the model as plain text, never as HTML.

// Each widget loads a module of its own: counted from one number, the groups of two questions would be one.
let groups = Math.floor(Math.random() * 1e9);

function element(tag, text, parent) {
  const made = document.createElement(tag);
  made.textContent = text;
  parent.append(made);
  return made;
}

// A fieldset gives the group its name for a screen reader; one `name` makes arrow keys stay inside it.
function radios(legend, labels, chosen, onChoose, parent) {
  const group = element("fieldset", "", parent);
  const name = `zs-quiz-${groups++}`;
  element("legend", legend, group);
  return labels.map((label, at) => {
    const line = element("label", "", group);
    const radio = element("input", "", line);
    radio.type = "radio";
    radio.name = name;
    radio.checked = at === chosen;
    radio.addEventListener("change", () => onChoose(at));
    element("span", label, line);
    return radio;
  });
}

// With focus in an output JupyterLab would still take these keys: arrows move cells, `a` adds and `x` cuts one.
function isShortcut(event) {
  return event.key !== "Enter" && (event.ctrlKey || event.metaKey || event.altKey);
}

function render({ model, el }) {
  el.classList.add("zs-quiz");
  const words = model.get("words");
  const keep = (name) => (at) => {
    model.set(name, at);
    model.save_changes();
  };
  const question = radios(words.question, words.choices, model.get("choice"), keep("choice"), el);
  const sure = radios(words.how_sure, words.levels, model.get("sure"), keep("sure"), el);
  const button = element("button", words.commit, el);
  button.type = "button";
  const note = element("p", "", el);
  note.setAttribute("role", "status");

  const show = () => {
    note.textContent = model.get("note");
    for (const control of [...question, ...sure]) control.disabled = model.get("locked");
    // A disabled button would drop the focus out of the widget, and the keys with it.
    button.setAttribute("aria-disabled", model.get("locked"));
  };
  const follow = () => {
    question.forEach((radio, at) => (radio.checked = at === model.get("choice")));
    sure.forEach((radio, at) => (radio.checked = at === model.get("sure")));
  };
  button.addEventListener("click", () => {
    if (!model.get("locked")) {
      model.send({ commit: true, choice: model.get("choice"), sure: model.get("sure") });
    }
  });
  const stay = (event) => {
    if (event.key === "Escape") el.closest(".jp-Cell")?.focus();
    if (!isShortcut(event)) event.stopPropagation();
  };
  el.addEventListener("keydown", stay);
  model.on("change:note change:locked", show);
  model.on("change:choice change:sure", follow);
  show();
  return () => {
    el.removeEventListener("keydown", stay);
    model.off("change:note change:locked", show);
    model.off("change:choice change:sure", follow);
  };
}

export default { render };
