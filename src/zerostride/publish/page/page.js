// The page without a kernel: a small model, native controls, and the same drawings and questions as in JupyterLab.

/** What anywidget's model is to a drawing: values by name, and who hears of their changes. */
function modelOf(state, send = () => {}) {
  const heard = {};
  const each = (names, call) => names.split(" ").forEach(call);
  return {
    get: (name) => state[name],
    set(name, value) {
      if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
      state[name] = value;
      for (const call of [...(heard[`change:${name}`] ?? [])]) call();
    },
    save_changes() {},
    send,
    on: (names, call) => each(names, (name) => (heard[name] ??= []).push(call)),
    off: (names, call) => each(names, (name) => { heard[name] = (heard[name] ?? []).filter((other) => other !== call); }),
  };
}

function made(tag, looks = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(looks)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A control as native inputs; `read` tells a value, `write` changes what the control moves. */
const CONTROLS = {
  ToggleButtons({ description, labels }, { read, write }) {
    const buttons = labels.map((label, at) => {
      const button = made("button", { type: "button" }, label);
      button.addEventListener("click", () => write(at));
      return button;
    });
    const draw = () => buttons.forEach((button, at) => button.setAttribute("aria-pressed", at === read("index")));
    const name = made("span", { "aria-hidden": "true" }, description);
    return [made("div", { role: "group", "aria-label": description, class: "zs-bar" }, name, ...buttons), draw];
  },
  IntSlider: ({ description }, { read, write }) =>
    dial(description, write, () => ({ min: read("min"), max: read("max"), step: read("step"), value: read("value") }), String),
  SelectionSlider: ({ description, labels }, { read, write }) =>
    dial(description, write, () => ({ min: 0, max: labels.length - 1, step: 1, value: read("index") }), (at) => labels[at]),
  Checkbox({ description }, { read, write }) {
    const box = made("input", { type: "checkbox" });
    box.addEventListener("change", () => write(box.checked));
    return [made("label", {}, box, made("span", {}, description)), () => { box.checked = read("value"); }];
  },
};

function dial(description, write, read, shown) {
  const input = made("input", { type: "range" });
  // The slider says its value itself: said again by the output it would be heard twice.
  const output = made("output", { "aria-hidden": "true" });
  input.addEventListener("input", () => write(Number(input.value)));
  const draw = () => {
    const now = read();
    // Limits first: a range pulls its value inside them.
    for (const name of ["min", "max", "step", "value"]) input[name] = now[name];
    input.setAttribute("aria-valuetext", shown(now.value));
    output.textContent = shown(now.value);
  };
  return [made("label", { class: "zs-dial" }, made("span", {}, description), input, output), draw];
}

/** Build a control and link it: what is linked lives in the model, the rest stays as it was described. */
function linkedControl(control, model) {
  const { kind, links, moves } = control;
  const read = (name) => (name in links ? model.get(links[name]) : control[name]);
  const write = (value) => { model.set(links[moves], value); model.save_changes(); draw(); };
  const [element, draw] = CONTROLS[kind](control, { read, write });
  element.dataset.control = links[moves];
  for (const name of Object.values(links)) model.on(`change:${name}`, draw);
  draw();
  return element;
}

function showExplorer(place, { state, controls }) {
  const model = modelOf(state);
  const drawing = made("div");
  const row = made("div", { class: "zs zs-dials" }, ...controls.map((control) => linkedControl(control, model)));
  place.append(made("div", { class: "zs-explorer live" }, row, drawing));
  drawings.render({ model, el: drawing });
}

function showQuestion(place, { words, noted, choose_both, said }) {
  const start = { words, choice: null, sure: null, note: "", locked: false };
  const model = modelOf(start, ({ choice, sure }) => {
    if (choice === null || sure === null) return model.set("note", choose_both);
    const values = { answer: words.choices[choice], sure: words.levels[sure] };
    const told = noted.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    model.set("note", [told, said[choice]].filter(Boolean).join("\n"));
    model.set("locked", true);
    if (said[choice]) unfoldAnswer(place);
  });
  const live = made("div", { class: "live" });
  place.append(live);
  questions.render({ model, el: live });
}

/** Once a prediction stands, show what it was about: every result up to the explanation. */
function unfoldAnswer(place) {
  for (let next = place.nextElementSibling; next && !next.matches("h2, h3, .question"); next = next.nextElementSibling) {
    for (const fold of [next, ...next.children]) if (fold.matches("details.result, details.why")) fold.open = true;
    if (next.matches(".why")) return;
  }
}

/** What is wider than its place can be reached by keyboard, and only that. */
function reachWideBoxes(name) {
  for (const box of document.querySelectorAll("pre, .wide, figure, .zs-wide, .zs-explorer")) {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    if (scrolls) {
      box.tabIndex = 0;
      if (!box.matches(".zs-explorer")) { box.setAttribute("role", "group"); box.setAttribute("aria-label", name); }
    } else if (box.getAttribute("aria-label") === name) {
      for (const looks of ["tabindex", "role", "aria-label"]) box.removeAttribute(looks);
    }
  }
}

/** Mark the lesson that is read in the bar. */
function followLessons() {
  const links = new Map([...document.querySelectorAll(".bar li a")].map((link) => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver((entries) => {
    const now = entries.findLast(({ isIntersecting }) => isIntersecting);
    if (!now) return;
    for (const [name, link] of links) name === now.target.id ? link.setAttribute("aria-current", "location") : link.removeAttribute("aria-current");
  }, { rootMargin: "-20% 0px -75% 0px" });
  for (const section of document.querySelectorAll(".lesson")) seen.observe(section);
}

function followTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const show = () => document.body.classList.toggle("zs-dark", dark.matches);
  dark.addEventListener("change", show);
  show();
}

/** Paper has no folds: open them all for it, and close again what was closed. */
function unfoldOnPaper() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main details:not([open])")];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => { for (const fold of opened) fold.open = false; });
}

const live = JSON.parse(document.getElementById("live").textContent);
document.documentElement.classList.add("script");
followTheme();
for (const place of document.querySelectorAll(".explorer")) showExplorer(place, live.explorers[place.dataset.explorer]);
for (const place of document.querySelectorAll(".question")) showQuestion(place, live.questions[place.dataset.question]);
followLessons();
unfoldOnPaper();
// Many folds may open at once: measure after the last of them.
let waiting = 0;
const reach = () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(() => reachWideBoxes(live.scrolls)); };
addEventListener("resize", reach);
document.addEventListener("toggle", reach, true);
reach();
