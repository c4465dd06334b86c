// What every live drawing uses. The parts of this folder are joined into one self-contained module (see __init__.py):
// no imports, no network, and no natural language: every shown word comes in with the model. Used alike by anywidget
// and by a page without kernel.

// One mark per address, the same shapes in the same order as the static pictures.
export const SHAPES = [
  polygon(24),
  polygon(3),
  polygon(4, 45),
  polygon(4),
  polygon(3, 180),
  "M-1.8-5.5h3.6v3.7h3.7v3.6h-3.7v3.7h-3.6v-3.7h-3.7v-3.6h3.7z",
  "M-5.3-2.6l2.7-2.7 2.6 2.7 2.6-2.7 2.7 2.7-2.7 2.6 2.7 2.6-2.7 2.7-2.6-2.7-2.6 2.7-2.7-2.7 2.7-2.6z",
  polygon(10, 0, [6.5, 2.6]),
  polygon(5),
  polygon(6),
  polygon(3, 270),
  polygon(3, 90),
];
export const FILLS = ["full", "none", "left", "right", "top", "bottom"];

function polygon(corners, turn = 0, radii = [corners === 24 ? 5 : 6]) {
  const points = Array.from({ length: corners }, (_, k) => {
    const angle = ((turn + (360 * k) / corners - 90) * Math.PI) / 180;
    const radius = radii[k % radii.length];
    return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
  });
  return `M${points.join("L")}Z`;
}

const pair = (numbers) => `(${numbers.join(", ")})`;
const clamp = (number, low, high) => Math.min(Math.max(number, low), high);
const counted = (length, each) => Array.from({ length }, (_, k) => each(k));
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
const signed = (number) => (number < 0 ? `(−${-number})` : `${number}`);

/** Shape and fill of the mark of an address, given its rank among all addresses. */
export function markOf(rank) {
  return { shape: SHAPES[rank % SHAPES.length], fill: FILLS[Math.floor(rank / SHAPES.length)] };
}

/** Set a mark, or take it back. */
function toggleMark(view, name) {
  view.cleared = false;
  if (!view.marked.delete(name)) view.marked.add(name);
}

/** Ask, or stop asking: without marks. */
function askAnew(view, asking) {
  Object.assign(view, { asking, revealed: false, cleared: false });
  view.marked.clear();
}

/** How a place was marked, once that is revealed: right, missed, extra, or not at all. */
const markedAs = (view, found, name) => (view.revealed ? ["right", "missed", "extra"].find((kind) => found[kind].includes(name)) : "");

/** What was marked against what is so: right, missed and extra places, by name. */
export function compareMarks(marks, wanted, target) {
  const marked = new Set(marks);
  const others = wanted.map(String).filter((name) => name !== String(target));
  return {
    right: others.filter((name) => marked.has(name)),
    missed: others.filter((name) => !marked.has(name)),
    extra: [...marked].filter((name) => !others.includes(name)),
  };
}

/** Whether marks still mean what they meant: in the drawing of addresses, and in that of shapes. */
export const sameAddresses = (before, after) => JSON.stringify(before.offsetsBytes) === JSON.stringify(after.offsetsBytes);
export const sameVerdicts = (before, after) =>
  String(before.axes.map(({ verdict }) => verdict)) === String(after.axes.map(({ verdict }) => verdict));

/** Marks after a change that they do not survive; the live line says that there were some. */
function clearMarks(view) {
  view.cleared ||= view.marked.size > 0;
  view.marked.clear();
  view.revealed = false;
}

export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function escape(text) {
  return String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function tag(name, attributes, ...children) {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`);
  return `<${name}${written.join("")}>${children.flat().join("")}</${name}>`;
}

function text(x, y, name, words, attributes = {}) {
  return tag("text", { x, y, class: name, ...attributes }, escape(words));
}

function mark(rank, x, y, id, scale = 1) {
  const { shape, fill: style } = markOf(rank);
  const paint = { full: "currentColor", none: "none" }[style] ?? `url(#${id}-${style})`;
  const place = `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale})`;
  return tag("path", { class: "zs-mark", d: shape, fill: paint, transform: place });
}

function paints(id) {
  const stop = (offset, opacity) => tag("stop", { offset, "stop-color": "currentColor", "stop-opacity": opacity });
  const half = (name, first, down) =>
    tag("linearGradient", { id: `${id}-${name}`, ...(down ? { x2: 0, y2: 1 } : {}) }, stop(0.5, first), stop(0.5, 1 - first));
  const lines = tag("path", { d: "M0 0V7", class: "zs-hatch" });
  const hatch = { id: `${id}-hatch`, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const halves = [half("left", 1), half("right", 0), half("top", 1, true), half("bottom", 0, true)];
  return tag("defs", { class: "zs-mark" }, halves, tag("pattern", hatch, lines));
}

// Keys belong to the explorer: JupyterLab would move its selection, insert or delete a cell. Chords stay usable, and
// Escape, where a drawing has no use for it, leads back to the cell, whose keys are JupyterLab's.
function keepKeys(event) {
  if (event.key === "Escape" && !event.defaultPrevented) event.target.closest(".jp-Cell")?.focus();
  if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
}

/** Do something now, and whenever an attribute changes in a part of the page. */
function watched(part, attribute, act) {
  act();
  new MutationObserver(act).observe(part, { attributeFilter: [attribute], childList: true, subtree: true });
}

function setChanged(part, attribute, value) {
  if (part.getAttribute(attribute) !== value) part.setAttribute(attribute, value);
}

/** Tell a screen reader what ipywidgets leaves out: names of handles and readouts, values in words, the chosen button. */
function nameControls(box) {
  for (const handle of box.querySelectorAll(".noUi-handle:not([aria-label])")) {
    const line = handle.closest(".widget-slider");
    const readout = line.querySelector(".widget-readout");
    readout.setAttribute("role", "textbox");
    for (const part of [handle, readout]) part.setAttribute("aria-label", line.querySelector(".widget-label").textContent);
    watched(handle, "aria-valuetext", () => setChanged(handle, "aria-valuetext", readout.textContent));
  }
  for (const group of box.querySelectorAll(".widget-toggle-buttons:not([role])")) {
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", group.querySelector(".widget-label").textContent);
    watched(group, "class", () => {
      for (const each of group.querySelectorAll("button")) setChanged(each, "aria-pressed", String(each.matches(".mod-active")));
    });
  }
}

/** Keep keys inside the whole box, sliders included. */
function adopt(root) {
  const box = root.closest(".zs-explorer");
  if (!box) return;
  box.addEventListener("keydown", keepKeys);
  nameControls(box);
}

// Each widget loads a module of its own: counted from one number, two drawings would share their ids.
let views = Math.floor(Math.random() * 1e9);

const button = (name, label) => tag("button", { type: "button", "data-do": name }, escape(label));

/** The bar of named starting points and the reset. */
const startBar = (named, words) =>
  tag("div", { class: "zs-bar" }, named.map(([label], k) => button(`preset-${k}`, label)), button("reset", words.reset));

/** Mark first, then reveal; what the drawing says; the mission. */
const endBars = (words) => [
  tag("div", { class: "zs-bar" }, button("ask", words.ask), button("reveal", words.reveal), button("next", words.next)),
  tag("p", { class: "zs-live", role: "status", "aria-live": "polite" }),
  tag("p", { class: "zs-mission" }, tag("span", {}), tag("b", { role: "status", "aria-live": "polite" })),
];

/** A slider of the drawing itself, under its name and before its readout. */
const dialOf = (name, label, more = {}) =>
  tag("label", { class: "zs-dial" }, tag("span", {}, escape(label)), tag("input", { type: "range", "data-dial": name, step: 1, ...more }), tag("output", { "aria-hidden": "true" }));

function setDial(input, { min, max }, value, shown) {
  const now = [min, max, value, shown].join();
  // What the learner moved it to may be taken back, though nothing else has changed.
  if (input.told === now && input.value === String(value)) return;
  input.told = now;
  [input.min, input.max, input.value, input.disabled] = [min, max, value, min === max];
  input.setAttribute("aria-valuetext", shown);
  const output = input.parentElement.querySelector("output");
  if (output) output.textContent = shown;
}

/** The root of a drawing. */
function rootIn(el, ...parts) {
  const root = document.createElement("div");
  root.className = "zs";
  root.innerHTML = parts.flat().join("");
  el.append(root);
  return root;
}

/** What is asked now, and why marks are gone. */
export function askedNow(words, { cleared, marked }, where) {
  return (cleared ? words.marks_cleared + words.space : "") + fill(words.ask_how, { ...where, count: marked.size });
}

/** What is said of the marks once they are revealed. */
function answeredNow(words, { right, missed, extra }, where = {}) {
  const numbers = { right: right.length, missed: missed.length, extra: extra.length };
  return fill(missed.length || extra.length ? words.result : words.result_right, { ...where, ...numbers });
}

/** Show which of the buttons of mark first, then reveal, can be pressed now. */
function showAsking(root, { asking, revealed }, next = revealed) {
  const part = (name) => root.querySelector(`[data-do="${name}"]`);
  part("ask").setAttribute("aria-pressed", asking);
  part("reveal").hidden = !asking || revealed;
  part("next").hidden = !next;
}

/** The mission and how it stands: what is so now, or, once it is done, what solved it and nothing of now. */
export function missionLine(words, won, now) {
  return `${won ? "✓" : "○"} ${words.mission}${words.space}${fill(won ? words.mission_won : words.mission_now, won ?? now)} `;
}

function sayMission(root, words, won, now) {
  root.querySelector(".zs-mission span").textContent = missionLine(words, won, now);
  const told = root.querySelector(".zs-mission b");
  const said = won ? words.mission_done : "";
  if (told.textContent !== said) told.textContent = said;
}

/** Where an arrow key, Home or End leads from a cell of a grid; nothing for other keys. */
function moved(key, [i, j], [lowest, rightmost]) {
  const to = {
    ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1], Home: [i, 0], End: [i, rightmost],
  }[key];
  return to && [clamp(to[0], 0, lowest), clamp(to[1], 0, rightmost)];
}

/** Redraws when the model changes: `put` changes values, `set` redraws once after that, `start` listens and returns its end. */
function following(model, draw) {
  let busy = false;
  const heard = () => { if (!busy) draw(); };
  function put(values) {
    const changed = Object.entries(values).filter(([name, value]) => model.get(name) !== value);
    if (!changed.length) return;
    busy = true;
    for (const [name, value] of changed) model.set(name, value);
    model.save_changes();
    busy = false;
  }
  function set(values) {
    put(values);
    draw();
  }
  function start(root, names, grown = () => adopt(root)) {
    const changes = names.map((name) => `change:${name}`);
    for (const change of changes) model.on(change, heard);
    // It tells when the drawing has come into the page, and the box around it can be adopted.
    const watch = new ResizeObserver(grown);
    watch.observe(root);
    draw();
    return () => { watch.disconnect(); for (const change of changes) model.off(change, heard); };
  }
  return { put, set, start };
}

/** The explorers by name: each part adds its own. */
const KINDS = {};
