// Conversion of readings of tool calls to the page's data.
//
// Pure functions, as in result.js. The calls are a value as well: the list of their names and arguments.

import { Offsets } from "./offsets.js";
import { valueOf } from "./result.js";
import { childrenOf, keyOf, tapeOf } from "./tape.js";

/** Converts a response of `/v1/calls`. What was said besides the list of the calls is in `said`. */
export function callsOf(text, body) {
  const calls = body.calls ?? [];
  const of = (name) => calls.flatMap((call) => call[name] ?? []);
  const coercions = calls.flatMap((call, at) => (call.coercions ?? []).map((row) => ({ ...row, path: `/${at}/arguments${row.path}` })));
  const offsets = new Offsets(text);
  const placed = (row) => ({ ...row, start: offsets.unit(row.start), end: offsets.unit(row.end) });
  const value = valueOf(text, {
    ...body,
    json: body.calls === undefined ? undefined : listOf(calls),
    places: placesOf(calls),
    repairs: of("repairs"),
    coercions,
  });
  return {
    ...value,
    said: {
      calls: calls.map((call) => ({ ...placed(call), rows: argumentsOf(call).map((row) => (row.place === null ? row : { ...row, place: placed(row.place) })) })),
      refused: (body.refused ?? []).map(placed),
      text: body.text ?? "",
      reasoning: body.reasoning ?? "",
    },
  };
}

/** Returns whether a text holds calls, or what was meant as one. */
export function holdsCalls({ said, truncated }) {
  return said.calls.length > 0 || said.refused.length > 0 || truncated;
}

/** Returns the calls as JSON text. */
function listOf(calls) {
  const rows = calls.map((call) => `\n  {"name": ${JSON.stringify(call.name)}, "arguments": ${call.json}}`);
  return rows.length === 0 ? "[]" : `[${rows.join(",")}\n]`;
}

/** Returns the span of each part of that list, in bytes. */
function placesOf(calls) {
  if (calls.length === 0) return [];
  const places = [[calls[0].start, calls.at(-1).end]];
  for (const call of calls) {
    const whole = [call.start, call.end];
    // The object, the key and the value of the name, the key of the arguments.
    places.push(whole, whole, whole, whole);
    const parts = tapeOf(call.json).length;
    for (let part = 0; part < parts; part += 1) {
      const place = call.places?.[part] ?? whole;
      // Notations without braces have no place for the object.
      places.push(place[0] < place[1] ? place : whole);
    }
  }
  return places;
}

/**
 * Returns the arguments of a call, each with what its tool declares of it: those that are declared, in the order of the
 * schema, then the others. The state is `fits`, `coerced`, `wrong`, `missing`, `absent`, `undeclared` or, without a
 * tool, `unchecked`.
 */
export function argumentsOf(call) {
  const tape = tapeOf(call.json);
  const given = new Map();
  for (const part of childrenOf(tape, 0)) {
    const name = keyOf(call.json, tape, part);
    if (name !== null) given.set(name, part);
  }
  const declared = call.parameters ?? [];
  const names = new Set([...declared.map((parameter) => parameter.name), ...given.keys()]);
  return [...names].map((name) => {
    const parameter = declared.find((one) => one.name === name);
    const part = given.get(name);
    const isHere = ({ path }) => path === pointer(name) || path.startsWith(`${pointer(name)}/`);
    const coercions = (call.coercions ?? []).filter(isHere);
    const violations = (call.violations ?? []).filter(isHere);
    const place = part === undefined ? undefined : call.places?.[part];
    return {
      name,
      type: parameter === undefined ? "" : typeOf(parameter.schema),
      required: parameter?.required ?? false,
      value: part === undefined ? null : call.json.slice(tape.start[part], tape.end[part]),
      place: place === undefined ? null : { start: place[0], end: place[1] },
      coercions,
      violations,
      state: stateOf({ call, parameter, part, coercions, violations }),
    };
  });
}

function stateOf({ call, parameter, part, coercions, violations }) {
  if (violations.length > 0) return "wrong";
  if (part === undefined) return parameter.required ? "missing" : "absent";
  if (call.parameters === null) return "unchecked";
  if (parameter === undefined) return "undeclared";
  return coercions.length > 0 ? "coerced" : "fits";
}

const pointer = (name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Returns what was found of a call and not of one of its arguments. */
export function ofCall(call) {
  const isMissing = (row) => row.keyword === "required" && row.path === "";
  return [
    ...(call.violations ?? []).filter((row) => row.path === "" && !isMissing(row)),
    ...(call.diagnostics ?? []).filter((row) => row.code !== "calls/undeclared"),
  ];
}

/** Returns what a schema allows, in a few words. */
export function typeOf(schema) {
  if (schema === null || typeof schema !== "object") return "any";
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  const several = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(several)) return several.map(typeOf).join(" | ");
  if (typeof schema.$ref === "string") return schema.$ref.split("/").at(-1);
  const types = [schema.type ?? []].flat();
  const named = (type) => (type === "array" && schema.items ? `${typeOf(schema.items)}[]` : type);
  return types.map(named).join(" | ") || "any";
}

/** Converts the chunks of a response of `/v1/calls`: columns with a row for each chunk, and the final result. */
export function callChunksOf(text, body) {
  const offsets = new Offsets(text);
  const value = callsOf(text, body);
  const { chunks } = body;
  // A call is certain when it is complete. One that is decided at the end of the text is certain then.
  const done = value.said.calls.map(() => chunks.length);
  chunks.forEach(({ events }, at) => events.forEach(({ type, index }) => {
    if (type === "done") done[index] = at;
  }));
  const callAt = (start) => value.said.calls.findIndex((call) => call.start <= start && start <= call.end);
  const certain = Uint32Array.from(value.repairs.start, (start) => done[callAt(start)] ?? chunks.length);
  return {
    ...value,
    end: Uint32Array.from(chunks, (chunk) => offsets.unit(chunk.end)),
    events: chunks.map((chunk) => chunk.events),
    certain,
  };
}

/** Returns what is known after `at` chunks: the text, the reasoning, and each call as far as it was sent. */
export function saidAfter(events, at) {
  const said = { text: "", reasoning: "", calls: [], refused: [] };
  for (const event of events.slice(0, at).flat()) {
    switch (event.type) {
      case "text": said.text += event.text; break;
      case "reasoning": said.reasoning += event.text; break;
      case "all_reasoning":
        Object.assign(said, { text: "", reasoning: said.reasoning + said.text, calls: [], refused: [] });
        break;
      case "started": said.calls[event.index] = { name: event.name, json: "", isDone: false }; break;
      case "arguments": said.calls[event.index].json += event.delta; break;
      case "done": said.calls[event.index].isDone = true; break;
      case "abandoned": said.calls.length = event.index; break;
      case "refused": said.refused.push(event.refused); break;
      default: break;
    }
  }
  return said;
}
