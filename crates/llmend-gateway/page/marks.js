// Ranges of a text: repaired, unchanged, or outside of the value.

/**
 * Returns the index of the first mark that does not end before `at`. Marks are sorted and disjoint. An empty
 * mark, which is an insertion, comes before the text at its position.
 */
export function firstFrom(marks, at) {
  let low = 0;
  let high = marks.start.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const isBefore = marks.end[middle] < at
      || (marks.end[middle] === at && marks.start[middle] < at);
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Splits the text from `from` to `to` into ranges: start, end, index of the mark (-1 for none), and whether
 * the range is outside of the spans `inside`. Marks are columns `start` and `end`, sorted and disjoint. A mark at `to`
 * is included only if `isLast`, because it otherwise belongs to the next range of text.
 */
export function stretches(from, to, marks, inside, isLast) {
  const out = [];
  const plain = (start, end) => {
    const edges = inside.flatMap((span) => [span.start, span.end]);
    const cuts = [start, ...edges, end].filter((cut) => cut >= start && cut <= end);
    cuts.sort((a, b) => a - b);
    for (let at = 1; at < cuts.length; at += 1) {
      const [left, right] = [cuts[at - 1], cuts[at]];
      const outside = !inside.some((span) => left < span.end && right > span.start);
      if (left < right) out.push({ from: left, to: right, mark: -1, outside });
    }
  };
  let at = from;
  for (let mark = firstFrom(marks, from); mark < marks.start.length; mark += 1) {
    const start = Math.max(marks.start[mark], from);
    const end = Math.min(marks.end[mark], to);
    if (start > to || (start === to && !(isLast && marks.start[mark] === to))) break;
    plain(at, start);
    out.push({ from: start, to: end, mark, outside: false });
    at = end;
  }
  plain(at, to);
  return out;
}
