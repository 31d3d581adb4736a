import { UserError } from "../../errors.js";
import { TrackerDown } from "../tracker.js";
import type { MlflowAddress } from "./address.js";

/** Milliseconds that the server has for an answer, and for each MB of a file beside. */
const PATIENCE = 10_000;
const PATIENCE_PER_MB = 2000;
/** Letters of a server's own words in a message. */
const MOST_LETTERS = 200;

/** What MLflow says of a request that it does not carry out. */
export class MlflowError extends Error {
  override name = "MlflowError";
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

type Json = Readonly<Record<string, unknown>>;

/** Calls of MLflow's REST interface 2.0. What may pass is `TrackerDown`; a wrong address or password is a `UserError`. */
export interface MlflowClient {
  get<T>(path: string, query: Readonly<Record<string, string>>): Promise<T>;
  post<T>(path: string, body: Json): Promise<T>;
  /** Puts a file; its path begins with a slash. */
  put(path: string, bytes: Uint8Array): Promise<void>;
}

export function mlflowClient(
  { base, authorization }: MlflowAddress,
  signal: AbortSignal,
  patience = PATIENCE,
): MlflowClient {
  const call = async (method: string, path: string, body?: string | Uint8Array): Promise<string> => {
    const isFile = body instanceof Uint8Array;
    const headers: Record<string, string> = {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { "content-type": isFile ? "application/octet-stream" : "application/json" }),
    };
    const limit = patience + (isFile ? (PATIENCE_PER_MB * body.length) / 1e6 : 0);
    const { response, text } = await answer(
      `${base}/api/2.0${path}`,
      { method, headers, body },
      limit,
      signal,
    );
    if (response.ok) return text;
    throw refusal(response, text, base);
  };
  const parsed = <T>(text: string): T => {
    const found = json(text);
    if (found === undefined) throw notMlflow(base);
    return found as T;
  };
  return {
    get: async (path, query) =>
      parsed(await call("GET", `/mlflow${path}?${new URLSearchParams(query).toString()}`)),
    post: async (path, body) => parsed(await call("POST", `/mlflow${path}`, JSON.stringify(body))),
    put: async (path, bytes) => {
      await call("PUT", path, bytes);
    },
  };
}

interface Request {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | undefined;
}

/** The whole answer to a request, within a limit of time. */
async function answer(url: string, request: Request, limit: number, signal: AbortSignal) {
  const end = new AbortController();
  const abort = () => end.abort();
  const timer = setTimeout(abort, limit);
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    const body = request.body as RequestInit["body"];
    const response = await fetch(url, { ...request, body, signal: end.signal });
    return { response, text: await response.text() };
  } catch (error) {
    if (signal.aborted) throw new TrackerDown("did not answer in time");
    if (end.signal.aborted) throw new TrackerDown(`did not answer within ${Math.round(limit / 1000)} s`);
    throw new TrackerDown(`cannot be reached (${causeOf(error)})`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "no such host",
  ETIMEDOUT: "timed out",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no network",
  UND_ERR_SOCKET: "connection closed",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed: set NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed: set NODE_EXTRA_CA_CERTS",
};

/** Why fetch failed; it never quotes the request, whose headers hold credentials. */
function causeOf(error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string; errors?: { code?: string }[] } })
    .cause;
  const code = cause?.code ?? cause?.errors?.[0]?.code;
  return (code && CAUSES[code]) ?? code ?? cause?.message ?? "network error";
}

function refusal({ status, headers }: Response, text: string, base: string): Error {
  const { error_code: code, message } = (json(text) ?? {}) as { error_code?: string; message?: string };
  const words = shortened(message ?? (/^\s*</.test(text) ? "" : text));
  if (status === 401 || status === 403)
    return new UserError(
      `mlflow:${base} lets nobody in (${[status, words].filter(Boolean).join(": ")}): ` +
        "set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN",
    );
  if (status === 429 || status >= 500) {
    const seconds = Number(headers.get("retry-after") ?? Number.NaN);
    return new TrackerDown(
      `answers with error ${status}${words && ` (${words})`}`,
      Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
    );
  }
  return typeof code === "string" ? new MlflowError(code, words) : notMlflow(base);
}

const notMlflow = (base: string): UserError =>
  new UserError(`mlflow:${base} answers, but not as an MLflow server does: is the address complete?`);

function json(text: string): unknown {
  try {
    const found = JSON.parse(text);
    return typeof found === "object" && found !== null ? found : undefined;
  } catch {
    return undefined;
  }
}

const shortened = (text: string): string => {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS)}…` : line;
};
