// Service worker: keeps the files of one version of the page, so that it opens without a network.
//
// The build writes in front of this: FILES, the address and the hash of each file, and VERSION, the hash of that list. So
// a new version is another service worker, which is used once no window has the old one anymore: versions never mix.

/* global FILES, VERSION */

/** Other pages of the same server have caches too. */
const OURS = `llmend ${registration.scope} `;
const CACHE = OURS + VERSION;

async function keep() {
  const cache = await caches.open(CACHE);
  // What the server sends has to be what was built, and not what the browser kept of an older version.
  await cache.addAll(FILES.map(([name, integrity]) => new Request(name, { integrity, cache: "no-cache" })));
}

async function dropOld() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(OURS) && name !== CACHE).map((name) => caches.delete(name)));
  // The first visit is kept too, not only the next one.
  await clients.claim();
}

async function answer(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request.mode === "navigate" ? "./" : request, { ignoreSearch: true });
  return kept ?? fetch(request);
}

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(dropOld()));
addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(registration.scope)) event.respondWith(answer(event.request));
});
