// What `tsc --strict` infers. Compiled by test/types.test.ts, never run.
import { Type } from "@sinclair/typebox";
import { type } from "arktype";
import * as v from "valibot";
import { Type as TypeBox } from "typebox";
import { z } from "zod";
import * as z3 from "zod3";
import { parse as parseAny, safeParse as safeParseAny, stream as streamAny, value, type DeepPartial } from "llmend";
import { parse, parseAsync, partialStream, reader, repairStream, safeParse, stream } from "llmend/schema";
import { callEvents, callReader, calls, type CallEvent, type Reading, type ToolCall } from "llmend/calls";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expect<_T extends true>(): void {}

interface City {
  city: string;
  days: number;
}

// Without a schema, the caller says, or nothing is known.
const any = parseAny("");
expect<Equal<typeof any.value, unknown>>();
const told = parseAny<City>("");
expect<Equal<typeof told.value, City>>();
expect<Equal<ReturnType<typeof value<City>>, City>>();
const safe = safeParseAny<City>("");
if (safe.ok) expect<Equal<typeof safe.value, City>>();
else expect<Equal<typeof safe.error.code, string>>();
// @ts-expect-error The entry without schemas takes none.
parseAny("", { schema: {} });
// @ts-expect-error An unknown option.
parseAny("", { maxDeph: 1 });
// @ts-expect-error An unknown class.
parseAny("", { maxClass: "lost" });
parseAny("", { maxClass: "guess", choice: "last" });
// @ts-expect-error The first value of a text that arrives is the answer.
streamAny([], { choice: "last" });

// The output of each library, not its input.
const zod4 = parse("", { schema: z.object({ city: z.string(), days: z.string().transform(Number) }) });
expect<Equal<typeof zod4.value, City>>();
const zod3 = parse("", { schema: z3.object({ city: z3.string(), days: z3.number() }) });
expect<Equal<typeof zod3.value, City>>();
const valibot = parse("", { schema: v.object({ city: v.string(), days: v.number() }) });
expect<Equal<typeof valibot.value, City>>();
const arktype = parse("", { schema: type({ city: "string", days: "number" }) });
expect<Equal<typeof arktype.value, City>>();
const typebox = parse("", { schema: Type.Object({ city: Type.String(), days: Type.Number() }) });
expect<Equal<typeof typebox.value, City>>();
const plain = parse("", { schema: { type: "object" } });
expect<Equal<typeof plain.value, unknown>>();
const plainTold = parse<City>("", { schema: { type: "object" } });
expect<Equal<typeof plainTold.value, City>>();
const later = parseAsync("", { schema: z.object({ city: z.string() }) });
expect<Equal<Awaited<typeof later>["value"], { city: string }>>();
const safely = safeParse("", { schema: z.array(z.boolean()) });
if (safely.ok) expect<Equal<typeof safely.value, boolean[]>>();

// Partial values.
expect<Equal<DeepPartial<{ a: string; b: { c: number[] }[] }>, { a?: string; b?: { c?: number[] }[] }>>();
async function streams(): Promise<void> {
  for await (const step of streamAny<City>([])) expect<Equal<typeof step.value, { city?: string; days?: number } | undefined>>();
  const fitted = stream([], { schema: z.object({ city: z.string() }) });
  for await (const step of fitted) expect<Equal<typeof step.value, { city?: string } | undefined>>();
  const final = await fitted.final;
  expect<Equal<typeof final.value, { city: string }>>();
  // Partial values have not been validated: their type is what the validator takes.
  const Transformed = z.object({ city: z.string(), days: z.string().transform(Number), tags: z.array(z.string()).default([]) });
  type Seen = { city?: string; days?: string; tags?: string[] } | undefined;
  const read = reader({ schema: Transformed });
  expect<Equal<typeof read.value, Seen>>();
  expect<Equal<typeof read.live, Seen>>();
  const last = read.finish();
  expect<Equal<typeof last.value, { city: string; days: number; tags: string[] }>>();
  for await (const step of partialStream({ schema: Transformed }).readable) expect<Equal<typeof step.value, Seen>>();
  expect<Equal<ReturnType<typeof repairStream>["readable"], ReadableStream<string>>>();
  // @ts-expect-error The first value of a text that arrives is the answer.
  repairStream({ schema: Transformed, choice: "last" });
  const json = repairStream({ schema: Transformed, unsure: "throw" });
  expect<Equal<Awaited<typeof json.final>["value"], { city: string; days: number; tags: string[] }>>();
  const ark = reader({ schema: type({ city: "string" }) });
  expect<Equal<typeof ark.value, { city?: string } | undefined>>();
  const box = reader({ schema: Type.Object({ city: Type.String() }) });
  expect<Equal<typeof box.value, { city?: string } | undefined>>();
  const called = callEvents([]);
  for await (const event of called) expect<Equal<typeof event, CallEvent>>();
  expect<Equal<Awaited<typeof called.final>, Reading>>();
}
void streams;

// A JSON Schema of any type, with the type that the caller says.
const Box = TypeBox.Object({ city: TypeBox.String() });
interface JsonSchema7 {
  type?: string;
  properties?: { [name: string]: JsonSchema7 };
}
declare const Seven: JsonSchema7;
async function jsonSchemas(): Promise<void> {
  for (const schema of [Box, Seven, { type: "object" }]) {
    const untold = parse("", { schema });
    expect<Equal<typeof untold.value, unknown>>();
    const known = parse<City>("", { schema });
    expect<Equal<typeof known.value, City>>();
    const record = parse<Record<string, unknown>>("", { schema });
    expect<Equal<typeof record.value, Record<string, unknown>>>();
    const later = await parseAsync<City>("", { schema });
    expect<Equal<typeof later.value, City>>();
    for await (const step of stream<City>([], { schema })) expect<Equal<typeof step.value, { city?: string; days?: number } | undefined>>();
    const last = reader<City>({ schema }).finish();
    expect<Equal<typeof last.value, City>>();
    const whole = await partialStream<City>({ schema }).final;
    expect<Equal<typeof whole.value, City>>();
    calls("", { tools: { search: schema, look: { inputSchema: schema } } });
  }
  const safe = safeParse("", { schema: Box });
  if (!safe.ok) expect<Equal<typeof safe.error.span, { start: number; end: number } | null>>();
  if (!safe.ok) expect<Equal<typeof safe.error.line, number | null>>();
}
void jsonSchemas;
// @ts-expect-error Not a schema.
parse("", { schema: 7 });

// Calls.
calls("", { tools: { search: null, book: true, wait: z.object({}), look: type({ at: "string" }), any: { type: "object" } } });
// @ts-expect-error Neither a schema nor a tool.
calls("", { tools: { search: 7 } });
const reading = calls("", { tools: { search: { inputSchema: { type: "object" } } } });
expect<Equal<(typeof reading.calls)[number]["arguments"], Record<string, unknown>>>();
const typed = {
  go: z.object({ city: z.string(), days: z.string().transform(Number) }), stop: { inputSchema: v.object({ at: v.number() }) }, any: true,
} as const;
for (const call of calls("", { tools: typed }).calls) {
  if (call.name === "go") expect<Equal<typeof call.arguments, City>>();
  else if (call.name === "stop") expect<Equal<typeof call.arguments, { at: number }>>();
  else expect<Equal<typeof call.arguments, Record<string, unknown>>>();
}
for (const event of callReader({ tools: typed }).push("")) {
  if (event.type === "done" && event.call.name === "go") expect<Equal<typeof event.call.arguments, City>>();
}
const listed = calls("", { tools: [{ name: "go", parameters: z.object({}) }] });
expect<Equal<(typeof listed.calls)[number], ToolCall>>();
