// Where in the text does a part of the value stand, and which part stands at a place?

/** Where a part stands in the text; nothing if that is not known. */
export function placeOf(value, part) {
  const places = value?.places;
  if (!places || part < 0 || part * 2 + 1 >= places.length) return null;
  return { start: places[part * 2], end: places[part * 2 + 1] };
}

/** The innermost part around a place of the text; -1 if there is none. */
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

/** What there is to say beside the parts of a value: what was found, and what was made to fit. */
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
  for (const row of value.coercions) add(row.part, { kind: row.class, sign: "≈", text: ` ${row.kind}: ${row.before} became ${row.after}` });
  return notes;
}
