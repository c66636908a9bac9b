import { files } from "./host.js";

/** Returns the version of the package. */
export function version(): string {
  const text = new TextDecoder().decode(files().readFileSync(new URL("../../package.json", import.meta.url)));
  return (JSON.parse(text) as { version: string }).version;
}
