import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** What somebody must know to be served, and where. */
export interface Guard {
  readonly port: number;
  readonly token: string;
}

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 403 | 405;
  readonly line: string;
}

/** A token that nobody guesses. */
export const newToken = (): string => randomBytes(24).toString("base64url");

/** The cookie is named by its port: two studios on a machine do not overwrite each other's. */
export const cookieName = (port: number): string => `pde-dirichlet-studio-${port}`;

/**
 * Why a request is refused; undefined if nothing speaks against it. Any page that is open in the browser can send
 * requests to this machine. A foreign Host means that its name was pointed here (DNS rebinding).
 */
export function refusalOf({ method, headers }: IncomingMessage, { port }: Guard): Refusal | undefined {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  if (!hostsOf(port).includes(host.toLowerCase()))
    return refused("The studio answers only at 127.0.0.1, localhost and [::1], with its own port.");
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return refused("The studio answers only to its own page.");
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return refused("The studio answers only to its own page: type or paste its address.");
  if (method !== "GET" && method !== "HEAD" && method !== "POST")
    return { status: 405, line: "The studio answers GET and POST." };
  return undefined;
}

/** Whether the request has the cookie that the address with the token has set. */
export function hasCookie({ headers }: IncomingMessage, { port, token }: Guard): boolean {
  const name = `${cookieName(port)}=`;
  const found = (headers.cookie ?? "").split("; ").find((one) => one.startsWith(name));
  return found !== undefined && isToken(found.slice(name.length), token);
}

/** Compares in the same time wherever two texts differ. */
export function isToken(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

export const NO_TOKEN: Refusal = refused(
  "This address lacks the studio's token, or has an old one: open the address that the command printed.",
);

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const hostsOf = (port: number): readonly string[] =>
  ["127.0.0.1", "localhost", "[::1]"].flatMap((name) =>
    port === 80 ? [name, `${name}:80`] : [`${name}:${port}`],
  );

function refused(line: string): Refusal {
  return { status: 403, line };
}
