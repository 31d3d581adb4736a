import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { OptionError, UserError } from "../../errors.js";
import { BadRequest, bodyOf } from "./body.js";
import { cookieName, type Guard, hasCookie, isToken, NO_TOKEN, newToken, refusalOf } from "./guard.js";
import { pageFile } from "./page-files.js";
import type { StudioContext } from "./route.js";
import { ROUTES } from "./routes.js";
import { HEADERS, sendAnswer, sendJson, sendRefusal } from "./send.js";

export interface StudioServerOptions extends StudioContext {
  /** Port on the loopback interface; by default a free one. */
  readonly port?: number;
  /** Hears of errors that nobody expects; the page is told only that there was one. */
  readonly onError?: (error: unknown) => void;
}

export interface StudioServer {
  /** The address to open. It has the token; the page that opens has a cookie in its place. */
  readonly url: string;
  /** The address without the token: `http://127.0.0.1:8080/`. */
  readonly origin: string;
  readonly port: number;
  /** The header by which a program that is no browser is let in: `name=token`. */
  readonly cookie: string;
  /** Ends all connections, also streams of events. */
  close(): Promise<void>;
}

/** Serves the page on the loopback interface, to whoever has the token. */
export async function startStudio({
  port = 0,
  onError,
  ...context
}: StudioServerOptions = {}): Promise<StudioServer> {
  const token = newToken();
  let guard: Guard = { port, token };
  const server = createServer((request, response) => {
    response.on("error", () => {}); // somebody who has left hears no answer
    answer(request, response, guard, context).catch((error) => {
      if (!response.destroyed) onError?.(error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: "the studio could not answer: see the terminal" });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, port)));
    server.listen(port, "127.0.0.1", resolve);
  });
  guard = { port: (server.address() as AddressInfo).port, token };
  const origin = `http://127.0.0.1:${guard.port}/`;
  return {
    url: `${origin}?token=${token}`,
    origin,
    port: guard.port,
    cookie: `${cookieName(guard.port)}=${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listenError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE")
    return new OptionError(`port ${port} is taken: give another --port, or none for a free one`);
  if (error.code === "EACCES")
    return new OptionError(`port ${port} needs rights that you do not have: give a --port from 1024 on`);
  return error;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  guard: Guard,
  context: StudioContext,
): Promise<void> {
  const refusal = refusalOf(request, guard);
  if (refusal) return sendRefusal(request, response, refusal);
  const asked = request.url ?? "/";
  const base = `http://127.0.0.1:${guard.port}`;
  if (!URL.canParse(asked, base)) return sendJson(response, 400, { error: "the address cannot be read" });
  const address = new URL(asked, base);
  const token = address.searchParams.get("token");
  if (request.method !== "POST" && token !== null && isToken(token, guard.token))
    return letIn(response, address, guard);
  if (!hasCookie(request, guard)) return sendRefusal(request, response, NO_TOKEN);

  const { pathname, searchParams: query } = address;
  if (pathname.startsWith("/api/")) return answerRoute(request, response, pathname.slice(5), query, context);
  const { "accept-encoding": accepted = "" } = request.headers;
  const file = request.method === "POST" ? undefined : await pageFile(pathname, String(accepted));
  if (!file) return sendJson(response, 404, { error: "there is nothing at this address" });
  const { type, bytes, encoding } = file;
  const headers = {
    ...HEADERS,
    "Content-Type": type,
    "Content-Length": bytes.length,
    Vary: "Accept-Encoding",
  };
  response.writeHead(200, encoding ? { ...headers, "Content-Encoding": encoding } : headers).end(bytes);
}

/** Turns the token of an address into a cookie: what is in an address stays in histories and on projectors. */
function letIn(response: ServerResponse, address: URL, { port, token }: Guard): void {
  address.searchParams.delete("token");
  // Only the path is taken, with one slash: `//elsewhere` would lead to another server.
  const path = address.pathname.replace(/^\/+/, "/") + address.search;
  const cookie = `${cookieName(port)}=${token}; HttpOnly; SameSite=Strict; Path=/`;
  response.writeHead(303, { ...HEADERS, Location: path, "Set-Cookie": cookie }).end();
}

async function answerRoute(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  query: URLSearchParams,
  context: StudioContext,
): Promise<void> {
  const method = request.method === "POST" ? "POST" : "GET";
  const route = ROUTES.find(({ method: own, path }) => own === method && path === name);
  if (!route) return sendJson(response, 404, { error: `the studio has no ${method} ${name}` });
  try {
    const body = method === "POST" ? await bodyOf(request) : undefined;
    await sendAnswer(response, await route.answer({ query, body, request }, context));
  } catch (error) {
    if (response.headersSent) throw error;
    if (error instanceof BadRequest) {
      // What is left of the body is not read: the connection ends with the answer.
      response.setHeader("Connection", "close");
      sendJson(response, error.status, { error: error.message });
    } else if (error instanceof UserError) {
      sendJson(response, 400, { error: error.message });
    } else {
      throw error;
    }
  }
}
