// The endpoints that read texts, at the gateway.
//
// The page that needs no gateway has another module in place of this one.

/**
 * Sends a request and returns the status and the text of the answer. `body` is JSON text, so that numbers in a schema
 * keep all their digits; without one the request is a GET.
 */
export async function ask(path, body, { key, signal }) {
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  if (body !== null) headers["content-type"] = "application/json";
  const response = await fetch(path, {
    method: body === null ? "GET" : "POST",
    headers,
    body,
    signal,
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
  });
  return { status: response.status, text: await response.text() };
}
