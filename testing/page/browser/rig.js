// Test rig: a gateway with a scripted upstream, and a browser.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

const GATEWAY = process.env.LLMEND;
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** The hash of `secret`. */
const SECRET = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

async function freePort() {
  const socket = createSocket().listen(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  await once(socket, "close");
  return port;
}

/** A server that answers each chat completion with the next of these texts; the last one is repeated. */
async function upstream(answers) {
  const asked = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => { body += piece; });
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      if (request.url === "/v1/models") {
        response.end(JSON.stringify({ object: "list", data: [{ id: "small", object: "model" }, { id: "large", object: "model" }] }));
        return;
      }
      asked.push(JSON.parse(body));
      const content = answers[Math.min(asked.length, answers.length) - 1];
      response.end(JSON.stringify({
        id: "c", object: "chat.completion", created: 1, model: "small",
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
        usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
      }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: server.address().port, asked, stop: () => server.close() };
}

/** Starts a gateway, until `stop`. `keys` closes it, `recording` keeps what it sees. */
export async function gateway({ answers = ["{}"], keys = false, recording = "off" } = {}) {
  const server = await upstream(answers);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "llmend-page-"));
  const config = join(folder, "llmend.toml");
  writeFileSync(config, `[gateway]
listen = "127.0.0.1:${port}"
${keys ? `keys = [{ name = "me", sha256 = "${SECRET}" }]` : ""}
[gateway.timers]
repair_ms = 60000
[gateway.recording]
store = "${recording}"
[gateway.upstreams.main]
base_url = "http://127.0.0.1:${server.port}/v1"
`);
  const running = spawn(GATEWAY, ["serve", "--config", config], { stdio: ["ignore", "pipe", "pipe"] });
  const url = `http://127.0.0.1:${port}`;
  const ended = once(running, "exit");
  const stop = async () => {
    running.kill();
    server.stop();
    await ended;
    rmSync(folder, { recursive: true });
  };
  // It says when it listens.
  await Promise.race([
    ...[running.stdout, running.stderr].map((stream) => once(createInterface(stream), "line")),
    ended.then(() => Promise.reject(new Error("the gateway did not start"))),
  ]);
  return { url, upstream: server, stop };
}

/**
 * Everything that a test needs, until `stop`, which has to be called after a failure as well: what is left open keeps Node
 * running. `options` are those of the gateway.
 */
export async function rig(options) {
  return withBrowser(await gateway(options));
}

/** Adds a browser to a server, which it also stops. */
export async function withBrowser(server) {
  const { url } = server;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
    .catch(async (error) => {
      await server.stop();
      throw error;
    });
  return {
    ...server,
    browser,
    /** A page of a window of its own. What goes wrong in it is in `faults`. */
    async page({ width = 1280, height = 800, scheme = "light", path = "/" } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
      const page = await context.newPage();
      page.faults = [];
      page.on("pageerror", (error) => page.faults.push(String(error)));
      page.on("dialog", (dialog) => {
        page.faults.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
      });
      page.on("console", (message) => {
        const isStatus = message.text().startsWith("Failed to load resource: the server responded with");
        if (message.type() === "error" && !isStatus) page.faults.push(message.text());
      });
      page.on("request", (request) => {
        if (!request.url().startsWith(url)) page.faults.push(`asked for ${request.url()}`);
        if (request.url().includes("secret")) page.faults.push(`a key in ${request.url()}`);
      });
      await page.addInitScript(() => {
        globalThis.violated = [];
        addEventListener("securitypolicyviolation", (event) => globalThis.violated.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
        globalThis.long = [];
        new PerformanceObserver((list) => list.getEntries().forEach((entry) => globalThis.long.push(Math.round(entry.duration)))).observe({ type: "longtask" });
      });
      await page.goto(url + path);
      return page;
    },
    async stop() {
      await browser.close();
      await server.stop();
    },
  };
}

/** Waits until the page has shown what the gateway says of its text. */
export async function settled(page) {
  await page.waitForFunction(() => !document.body.classList.contains("busy") && document.querySelector("#outcome .chip") !== null);
}

/** Puts a text into the page as somebody does who pastes it. */
export async function paste(page, text) {
  await page.evaluate((data) => {
    document.getElementById("outcome").replaceChildren();
    const transfer = new DataTransfer();
    transfer.setData("text/plain", data);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
  }, text);
  await settled(page);
}

/** Picks an example by the beginning of its name. */
export async function pick(page, name) {
  const value = await page.locator("#examples option").evaluateAll(
    (options, wanted) => options.find((option) => option.textContent.startsWith(wanted))?.value, name,
  );
  await page.evaluate(() => document.getElementById("outcome").replaceChildren());
  await page.selectOption("#source", value);
  await settled(page);
}

/** What the highlights of that name cover. */
export function highlighted(page, name) {
  return page.evaluate((key) => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => {
      resolve([...CSS.highlights.get(key)].map((range) => range.toString()).join(""));
    }));
  }), name);
}

/** Everything that went wrong in a page. */
export async function faults(page) {
  return [...page.faults, ...await page.evaluate(() => globalThis.violated)];
}
