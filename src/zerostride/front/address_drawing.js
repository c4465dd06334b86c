// ---- addresses, their drawing: the grid above the storage on its ruler, as text from a state and what is seen.

// Below this many pixels, or where numbers are long, a cell stacks mark, value and offset.
const NARROW = 96;
// Where a storage has more slots than fit, an unread stretch is cut to this many slots.
const CUT_SLOTS = 3;

/** The storage from end to end: what is read, what nobody reads (cut short where long), what is not allocated. */
export function stretches({ starts, storedBytes, logicalBytes }, itemsize) {
  const total = Math.max(storedBytes, logicalBytes);
  const cut = total > MOST_SLOTS * itemsize;
  const found = [];
  let [end, slots] = [0, 0];
  const add = (kind, to) => {
    if (to <= end) return;
    const real = (to - end) / itemsize;
    const shown = cut && kind === "unread" ? Math.min(real, CUT_SLOTS) : real;
    found.push({ kind, from: end, to, at: slots, slots: shown, cut: shown < real });
    [end, slots] = [to, slots + shown];
  };
  for (const byte of starts) {
    add("unread", byte);
    add("read", byte + itemsize);
  }
  add("unread", storedBytes);
  // Where gaps are cut there is no common scale to show what a copy would take.
  if (!cut) add("absent", total);
  return found;
}

/** Where everything stands in a drawing `width` pixels wide. */
export function geometry({ rows, cols, itemsize }, seen, width) {
  const left = 42;
  const cell = Math.min(190, (width - left - 4) / cols);
  const longest = (lines) => Math.max(...lines.flat().map((each) => String(each).length));
  const small = cell < Math.max(NARROW, 16 + 10 * longest(seen.values) + 17 * longest(seen.offsets));
  const tall = small ? 58 : rows > 5 ? 40 : 46;
  const stripTop = 26 + rows * tall + 44;
  const strip = stretches(seen, itemsize);
  const last = strip.at(-1);
  const slot = (width - left - 8) / (last.at + last.slots);
  const place = (byte) => {
    const part = strip.find(({ to }) => byte < to) ?? last;
    return left + slot * (part.at + ((byte - part.from) / (part.to - part.from)) * part.slots);
  };
  return { left, cell, small, tall, top: 26, stripTop, stripTall: 40, slot, strip, place, height: stripTop + 74, width };
}

function gridCell(i, j, seen, at, id) {
  const { left, cell, tall, top, small } = at;
  const [x, y, wide, high] = [left + j * cell, top + i * tall, cell - 6, tall - 6];
  const box = { width: wide, height: high, rx: 6 };
  const middle = { x: wide / 2 - (small ? 0 : 5), y: high / 2 + 6 };
  return tag(
    "g",
    { class: "zs-cell", role: "gridcell", tabindex: -1, "data-cell": `${i},${j}`, transform: `translate(${x} ${y})` },
    tag("rect", { class: "zs-face", ...box }),
    tag("rect", { class: "zs-ring", x: 4.5, y: 4.5, width: wide - 9, height: high - 9, rx: 3 }),
    mark(seen.starts.indexOf(seen.offsetsBytes[i][j]), 13, 12, id, small ? 0.8 : 1),
    text(middle.x, middle.y, "zs-value", seen.values[i][j]),
    text(wide - 7, high - 6, "zs-offset", seen.offsets[i][j]),
    text(wide - 7, 15, "zs-sign", ""),
  );
}

function gridNames({ rows, cols }, { left, cell, tall, top }) {
  const head = counted(cols, (j) => text(left + j * cell + cell / 2 - 3, top - 9, "zs-axis", `j=${j}`));
  const side = counted(rows, (i) => text(left - 10, top + i * tall + tall / 2 + 2, "zs-axis zs-end", `i=${i}`));
  return tag("g", {}, head, side);
}

const gridRow = (i, seen, at, id) =>
  tag("g", { role: "row" }, seen.offsetsBytes[i].map((_, j) => gridCell(i, j, seen, at, id)));

function strip(seen, at, id) {
  const { stripTop: top, stripTall: high, slot, place } = at;
  const held = new Map(seen.offsetsBytes.flatMap((line, i) => line.map((byte, j) => [byte, seen.values[i][j]])));
  const cells = seen.starts.map((byte, rank) => {
    const [x, value] = [place(byte), held.get(byte)];
    const roomy = slot > 9 * value.length + 6;
    return tag(
      "g",
      { class: "zs-slot", "data-byte": byte },
      tag("rect", { class: "zs-face", x: x + 0.75, y: top, width: Math.max(slot - 1.5, 2), height: high }),
      slot > 11 ? mark(rank, x + slot / 2, top + (roomy ? 11 : high / 2), id, slot > 17 ? 0.9 : 0.7) : "",
      roomy ? text(x + slot / 2, top + high - 8, "zs-stored", value) : "",
    );
  });
  const spare = at.strip.filter(({ kind }) => kind !== "read").map(({ kind, from, to, slots, cut }) => {
    const [x, wide] = [place(from) + 1, slots * slot - 2];
    const box = { class: `zs-${kind}`, "data-from": from, "data-to": to, x, y: top + 0.5, width: Math.max(wide, 1), height: high - 1 };
    const paint = kind === "unread" ? { fill: `url(#${id}-hatch)` } : {};
    return tag("rect", { ...box, ...paint }) + (cut ? text(x + wide / 2, top + high / 2 + 5, "zs-cut", "⋯") : "");
  });
  return tag("g", {}, spare, cells);
}

/** Which element boundaries carry a number: start, end of storage, end of scale, and regular ones between. */
export function numbered({ cols }, total, stored, slot, room) {
  const kept = [...new Set([0, total])];
  // The last number ends at its tick instead of standing around it, so it needs more room.
  const fits = (at) => kept.every((other) => Math.abs(at - other) * slot >= (other === total ? 1.4 * room : room));
  if (stored !== total && fits(stored)) kept.push(stored);
  const steps = counted(total, (k) => k + 1);
  const every = steps.find((k) => k * slot >= room && (cols % k === 0 || k % cols === 0)) ?? total;
  for (let at = every; at < total; at += every) if (fits(at)) kept.push(at);
  return kept.sort((a, b) => a - b);
}

/** The bytes that get a tick, and those of them that get a number. */
function marksOnRuler(state, seen, { strip: parts, slot, place }, room) {
  const { itemsize } = state;
  const end = parts.at(-1).to;
  if (!parts.some(({ cut }) => cut) && parts.every(({ from }) => from % itemsize === 0)) {
    const total = Math.ceil(end / itemsize);
    const labels = numbered(state, total, Math.ceil(seen.storedBytes / itemsize), slot, room);
    return [counted(total + 1, (k) => k * itemsize), labels.map((k) => k * itemsize)];
  }
  const edges = [...new Set([0, end, ...parts.map(({ from }) => from)])];
  const kept = [];
  for (const byte of edges)
    if (kept.every((other) => Math.abs(place(byte) - place(other)) >= (other === end ? 1.6 * room : room))) kept.push(byte);
  return [edges, kept];
}

function ruler(state, seen, at) {
  const { left, stripTop, stripTall, place, strip: parts } = at;
  const y = stripTop + stripTall + 6;
  const end = parts.at(-1).to;
  const bytes = state.unit === "bytes";
  const shown = (byte) => (bytes ? byte : byte / state.itemsize);
  const room = 16 + 8 * String(shown(end)).length + (bytes ? 8 : 0);
  const [ticks, labels] = marksOnRuler(state, seen, at, room);
  const tick = (byte) => `M${place(byte)} ${y}v${labels.includes(byte) ? 8 : 4}`;
  const label = (byte) => {
    const last = byte === end;
    return text(place(byte) + (last ? 6 : 0), y + 23, `zs-axis${last ? " zs-end" : ""}`, `${shown(byte)}${bytes && last ? " B" : ""}`);
  };
  const lines = `M${left} ${y}H${place(end)}${ticks.map(tick).join("")}`;
  return tag("g", {}, tag("path", { class: "zs-tick", d: lines }), labels.map(label));
}

/** The outlines of the bands from the lit cells of each column to their one storage cell. */
export function bandPath(seen, { rows }, at) {
  const { left, cell, tall, top, stripTop, slot } = at;
  const x = at.place(seen.here);
  const near = top + rows * tall;
  const columns = [...new Set(seen.readers.map(([, j]) => j))];
  return columns.map((j) => {
    const first = seen.readers.find((reader) => reader[1] === j)[0];
    const [west, east] = [left + j * cell + 10, left + j * cell + cell - 16];
    const start = top + first * tall + tall / 2;
    return `M${west} ${start}V${near}L${x + 1} ${stripTop}H${x + slot - 1}L${east} ${near}V${start}Z`;
  }).join("");
}

/** The drawing without its changing pieces. */
function frame(words, id) {
  const band = tag("path", { class: "zs-band", d: "" });
  const cells = tag("g", { class: "zs-grid", role: "grid", "aria-label": words.grid });
  return tag("svg", { class: "zs-drawing", role: "group" }, paints(id), band, tag("g", { class: "zs-still", "aria-hidden": "true" }), cells);
}
