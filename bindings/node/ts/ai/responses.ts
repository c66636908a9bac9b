/** Returns a response with another body. */
export function withBody(response: Response, body: BodyInit): Response {
  const headers = new Headers(response.headers);
  // The body is another, and decoded.
  for (const name of ["content-length", "content-encoding"]) headers.delete(name);
  return new Response(body, { status: response.status, statusText: response.statusText, headers });
}

/** Returns a response whose text was rewritten, if that is possible. */
export async function rewrittenText(response: Response, rewrite: (text: string) => string | undefined): Promise<Response> {
  const text = await response.text();
  return withBody(response, rewrite(text) ?? text);
}

/** Returns the object in a JSON text; nothing if it has none. */
export function objectIn<T extends object>(text: string): Partial<T> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Partial<T>) : undefined;
  } catch {
    return undefined;
  }
}
