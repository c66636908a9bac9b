import { calls } from "../calls.js";

/** Returns the only name of which another is a near miss, as calls are read. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const offered = Object.fromEntries(names.map((name) => [name, {}]));
  const text = `<tool_call>${JSON.stringify({ name, arguments: {} })}</tool_call>`;
  const found = calls(text, { tools: offered }).calls[0]?.name;
  return found !== undefined && names.includes(found) ? found : undefined;
}
