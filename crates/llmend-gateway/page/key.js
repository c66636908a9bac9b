// Dialog for the client key.

import { byId } from "./element.js";
import { ask, key } from "./gateway.js";

/** Asks for a key until the gateway accepts it, and returns the response to `/v1/rules`. */
export function enter(message) {
  const dialog = byId("key");
  const input = byId("key-value");
  byId("key-error").textContent = message;
  // The page is of no use without a key.
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.showModal();
  return new Promise((resolve) => {
    const attempt = async () => {
      key.set(input.value.trim());
      const answer = await ask("/v1/rules").catch((error) => ({ status: 0, body: { error: String(error) } }));
      if (answer.status === 200) {
        input.value = "";
        byId("key-use").removeEventListener("click", attempt);
        input.removeEventListener("keydown", onEnter);
        dialog.close();
        resolve(answer);
        return;
      }
      key.drop();
      byId("key-error").textContent = answer.body?.error ?? `the gateway answered ${answer.status}`;
      input.select();
    };
    const onEnter = (event) => {
      if (event.key === "Enter") attempt();
    };
    byId("key-use").addEventListener("click", attempt);
    input.addEventListener("keydown", onEnter);
  });
}
