// Test rig: the page without a gateway, in a folder of a server that knows nothing but files.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";

import { withBrowser } from "../browser/rig.js";

/** The folder that `.ci/node --page` wrote. */
export const PAGE = process.env.LLMEND_PAGE;

const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
  ".png": "image/png", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json",
};

/** A server of the files at `/some/folder/`. What it was asked for is in `asked`; `unplug` cuts it off, or ends that. */
async function files() {
  const asked = [];
  let isUnplugged = false;
  const server = createServer((request, response) => {
    if (isUnplugged) {
      request.socket.destroy();
      return;
    }
    asked.push(`${request.method} ${request.url}`);
    const name = request.url.replace(/^\/some\/folder\//, "").replace(/^$/, "index.html");
    try {
      const bytes = readFileSync(join(PAGE, name));
      response.setHeader("content-type", TYPES[extname(name)] ?? "application/octet-stream");
      response.end(bytes);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  const unplug = (is) => { isUnplugged = is; };
  return { url: `http://127.0.0.1:${server.address().port}`, asked, unplug, stop };
}

/** The page in a browser. `page()` opens it, with `fragment` in its address. */
export async function rig() {
  const here = await withBrowser(await files());
  return { ...here, page: ({ fragment = "", ...options } = {}) => here.page({ path: `/some/folder/${fragment}`, ...options }) };
}

/** Waits until the page is kept for use without a network. */
export async function kept(page) {
  await page.waitForFunction(() => document.getElementById("private")?.textContent.includes("works offline"));
}
