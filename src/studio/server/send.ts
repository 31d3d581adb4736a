import type { IncomingMessage, ServerResponse } from "node:http";
import type { Refusal } from "./guard.js";
import type { Answer } from "./route.js";

/** Nothing but the page's own files may run, and WebAssembly. */
export const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' blob: data:; " +
  "style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of every answer: threads need isolation. */
export const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
} as const;

/** A page of one line that needs no file: who is refused gets none. */
const PLAIN_PAGE = {
  ...HEADERS,
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "Content-Type": "text/html; charset=utf-8",
};
const PLAIN_STYLE =
  ":root{color-scheme:light dark}body{margin:20vh auto;max-width:34rem;padding:0 1rem;" +
  "font:15px/1.5 Inter,Helvetica,Arial,sans-serif}";

/** Says in one line why there is no answer: to a person as a page, to a program as JSON. */
export function sendRefusal(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { status, line }: Refusal,
): void {
  if (!headers.accept?.includes("text/html")) {
    sendJson(response, status, { error: line });
    return;
  }
  response
    .writeHead(status, PLAIN_PAGE)
    .end(
      '<!doctype html><html lang="en"><meta charset="utf-8"><title>pde-dirichlet studio</title>' +
        `<style>${PLAIN_STYLE}</style><p>${line}</p></html>\n`,
    );
}

/** A document that the page opens beside itself, such as a report: its own styles are applied, and nothing runs. */
const DOCUMENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'";

export function sendJson(response: ServerResponse, status: number, json: unknown): void {
  response.writeHead(status, { ...HEADERS, "Content-Type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(json));
}

/** Sends what a route has found. */
export async function sendAnswer(response: ServerResponse, found: Answer): Promise<void> {
  if ("json" in found) {
    sendJson(response, 200, found.json);
  } else if ("html" in found) {
    const type = "text/html; charset=utf-8";
    response
      .writeHead(200, { ...HEADERS, "Content-Security-Policy": DOCUMENT_POLICY, "Content-Type": type })
      .end(found.html);
  } else if ("bytes" in found) {
    response.writeHead(200, { ...HEADERS, "Content-Type": found.type }).end(found.bytes);
  } else {
    response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream" });
    response.flushHeaders();
    const left = new AbortController();
    response.on("close", () => left.abort());
    const send = (event: unknown) => {
      if (!response.destroyed) response.write(`data: ${JSON.stringify(event)}\n\n`);
    };
    await found.events(send, left.signal);
    response.end();
  }
}
