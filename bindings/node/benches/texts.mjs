// Records, valid and as models write them.
const rows = (count) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `User ${id}`,
    email: `user${id}@example.org`,
    tags: ["alpha", "beta"],
    score: id * 1.5,
    active: id % 2 === 0,
    note: null,
  }));

const bad = ({ id, name, email, score, active }) =>
  `{id: ${id}, 'name': '${name}', email: '${email}', "tags": ['alpha', 'beta',], score: ${score}, ` +
  `active: ${active ? "True" : "False"}, note: None,} // row`;

const valid = (count) => received(JSON.stringify(rows(count)));
const broken = (count) => received(`[${rows(count).map(bad).join("\n,")}\n]`);

/** A text in one piece, as one that was received is: strings that were joined here are slow to read. */
const received = (text) => Buffer.from(text).toString();

/** Texts by name, with the value that each means. */
export const TEXTS = [
  ["valid, 1 KB", valid(8), rows(8)],
  ["broken, 1 KB", broken(7), rows(7)],
  ["valid, 100 KB", valid(820), rows(820)],
  ["broken, 100 KB", broken(700), rows(700)],
];

/** A long answer, valid but not complete until its end. */
export const answer = (bytes) => {
  const steps = [];
  let length = 0;
  while (length < bytes) {
    const id = steps.length;
    steps.push({ id, tool: "search", why: `Because step ${id} needs what the one before it found, "as is".`, args: { q: `term ${id}` } });
    length += JSON.stringify(steps[id]).length;
  }
  return JSON.stringify({ title: "A plan", steps });
};

/** What the answer is. */
export const SCHEMA = {
  type: "object",
  properties: {
    title: { type: "string" },
    steps: {
      type: "array",
      items: {
        type: "object",
        properties: { id: { type: "integer" }, tool: { type: "string" }, why: { type: "string" }, args: { type: "object" } },
        required: ["id", "tool"],
      },
    },
  },
  required: ["title", "steps"],
};
