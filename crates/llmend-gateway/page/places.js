// Mapping between parts of the value and positions in the text.

/** Returns the span of a part in the text, or null if it is unknown. */
export function placeOf(value, part) {
  const places = value?.places;
  if (!places || part < 0 || part * 2 + 1 >= places.length) return null;
  return { start: places[part * 2], end: places[part * 2 + 1] };
}

/** Returns the innermost part at a position of the text, or -1. */
export function partAround(value, place) {
  if (!value?.tape) return -1;
  let best = -1;
  let width = Infinity;
  for (let part = 0; part * 2 + 1 < value.places.length; part += 1) {
    const [start, end] = [value.places[part * 2], value.places[part * 2 + 1]];
    if (start <= place && place < end && end - start <= width) {
      best = part;
      width = end - start;
    }
  }
  return best;
}

/** Returns the notes on each part of a value: findings and coercions. */
export function notesOf(value, found) {
  const notes = new Map();
  const add = (part, note) => {
    if (part < 0) return;
    if (!notes.has(part)) notes.set(part, []);
    notes.get(part).push(note);
  };
  for (const row of found) {
    if (row.severity === "info") continue;
    add(row.part, { kind: row.severity ?? "error", sign: row.severity === "warning" ? "!" : "✕", text: ` ${row.message}` });
  }
  for (const row of value.coercions) add(row.part, { kind: row.class, sign: "≈", text: ` ${row.kind}: ${row.before} → ${row.after}` });
  return notes;
}
