// Recent exchanges, if the gateway records them.

import { byId, element, titled } from "./element.js";
import { ask } from "./gateway.js";

const SHOWN = 50;

/** Returns the title of an exchange. */
function titleOf(row) {
  return titled(row.at, row.model, row.outcome ?? row.status, row.class);
}

/** Lists the last exchanges in `group`, an `optgroup`, which is hidden if nothing is recorded. */
export async function showRecent(group) {
  const { status, body } = await ask(`/v1/exchanges?limit=${SHOWN}`).catch(() => ({ status: 0, body: null }));
  const rows = status === 200 && Array.isArray(body.exchanges) ? body.exchanges : [];
  const isOn = status === 200 && body.recording !== undefined && body.recording !== "off";
  group.hidden = !isOn;
  group.disabled = !isOn;
  group.replaceChildren(...rows.map((row) => element("option", { value: `exchange:${row.id}` }, titleOf(row))));
  if (isOn && rows.length === 0) {
    group.replaceChildren(element("option", { value: "", disabled: true }, "none yet"));
  }
  return isOn;
}

/** Returns an exchange, or throws the gateway's error message. */
export async function openExchange(id) {
  const { status, body } = await ask(`/v1/exchanges/${encodeURIComponent(id)}`);
  if (status !== 200) throw new Error(body?.error ?? `the gateway answered ${status}`);
  return body;
}

/** Shows the list of parts, and chooses the first. */
export function showParts(exchange, chosen) {
  const select = byId("part");
  const parts = exchange.parts ?? [];
  byId("part-field").hidden = parts.length < 2;
  select.replaceChildren(...parts.map((part, at) => (
    element("option", { value: at }, titled(part.kind, part.tool, part.path, part.class))
  )));
  select.onchange = () => chosen(parts[Number(select.value)]);
  if (parts.length > 0) chosen(parts[0]);
}
