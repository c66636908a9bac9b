// Blocks of a long text, of which only the visible ones are laid out.

/** Maximum number of lines and code units of a block. A longer line is split into several rows. */
const MOST_LINES = 40;
const MOST_UNITS = 2000;

/** Moves a cut out of a surrogate pair. */
function cutAt(text, at) {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}

/**
 * Splits a text into blocks of rows. A row has its start, its end without the line end, and its line
 * number, which is 0 if the line began in an earlier row.
 */
export function blocksOf(text) {
  const blocks = [];
  let rows = [];
  let units = 0;
  const close = () => {
    if (rows.length > 0) blocks.push({ from: rows[0].from, to: rows[rows.length - 1].next, rows });
    rows = [];
    units = 0;
  };
  const add = (from, to, next, line) => {
    if (rows.length === MOST_LINES || (units > 0 && units + to - from > MOST_UNITS)) close();
    rows.push({ from, to, next, line });
    units += next - from;
  };
  let line = 1;
  let from = 0;
  while (from <= text.length) {
    const found = text.indexOf("\n", from);
    const end = found === -1 ? text.length : found;
    let number = line;
    while (end - from > MOST_UNITS) {
      const cut = cutAt(text, from + MOST_UNITS);
      add(from, cut, cut, number);
      from = cut;
      number = 0;
    }
    add(from, end, found === -1 ? end : end + 1, number);
    if (found === -1) break;
    from = end + 1;
    line += 1;
  }
  close();
  return blocks;
}

/** Returns the index of the block that contains a position. */
export function blockAt(blocks, place) {
  let low = 0;
  let high = blocks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (blocks[middle].from <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the height of a block in rows of `columns` code units. */
export function heightOf(block, columns) {
  return block.rows.reduce((sum, row) => sum + Math.max(1, Math.ceil((row.to - row.from) / columns)), 0);
}
