// How does the page get the key, where the gateway has keys?

import { byId } from "./element.js";
import { ask, key } from "./gateway.js";

/** Asks for the key until the gateway knows it, and gives what it says to whoever has it. */
export function enter(message) {
  const dialog = byId("key");
  const input = byId("key-value");
  byId("key-error").textContent = message;
  // Nothing of the page can be used without it.
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
