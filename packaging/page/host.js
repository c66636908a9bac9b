// What the page has behind it: only this browser. It is kept for use without a network, and texts are shared by links.

import { byId, element } from "./element.js";
import { fromFragment, toFragment } from "./fragment.js";
import { outcome } from "./outcome.js";
import { copied, fromShared, shared } from "./share.js";
import { ownScript } from "./trusted.js";

/** Begins the message of a text without an answer. */
export const SILENT = "The engine failed";

/** Nobody asks for a key. */
export const credential = () => null;

/** The engine answers everyone. */
export async function locked(message) {
  throw new Error(message);
}

/** Keeps the files of the page in the browser, and says when it needs no network anymore. */
async function keepFiles(notice) {
  // Browsers have this for pages over HTTPS and of this machine.
  if (!("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register(ownScript("../offline.js"), { updateViaCache: "none" });
  await navigator.serviceWorker.ready;
  notice.append(" This page also works offline.");
}

/** Adds to the page what it has without a gateway. `page` is what `main.js` lets others do. */
export function attach(page) {
  const notice = element("p", { id: "private", class: "quiet" }, "Nothing you enter leaves this browser.");
  byId("outcome").before(notice);

  const link = element("button", { id: "link", type: "button" }, "Copy link");
  byId("share").before(link);
  link.addEventListener("click", async () => {
    const fragment = await toFragment(shared({
      text: page.state.text, as: page.state.as, settings: page.effective(), schema: page.schemaText(), tools: page.toolsText(), raw: null,
    }));
    if (fragment === null) outcome([["wrong", "This text is too long for a link. Copy it as JSON."]]);
    else await copied(link, location.href.replace(/#.*/s, "") + fragment);
  });

  let isOpening = false;
  /** Shows the text of the link with which the page was opened. Returns whether there is one. */
  async function openLink() {
    try {
      const text = await fromFragment(location.hash);
      if (text === null) return false;
      if (fromShared(text) === null) throw new Error("it was made by another version");
      isOpening = true;
      page.pasted(text);
    } catch (error) {
      outcome([["wrong", `Cannot open this link: ${error.message}`]]);
    } finally {
      isOpening = false;
    }
    return true;
  }
  addEventListener("hashchange", openLink);

  return {
    /** Called when the rules are known. Returns whether there is a text to show first. */
    began() {
      keepFiles(notice).catch((error) => notice.append(` This page does not work offline: ${error.message}`));
      return openLink();
    },
    /** Called when a text has another source. */
    sourceChanged() {
      // A link that is open in the address no longer says what is shown.
      if (!isOpening && location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
    },
    /** Called when a result is shown. */
    shown() {},
  };
}
