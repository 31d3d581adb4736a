import type { IncomingMessage } from "node:http";
import type { ReportAdditions } from "../../report/additions.js";

/** What the page may ask of the server beside its own files. */
export interface Route {
  readonly method: "GET" | "POST";
  /** Path below `/api/`: `folder`. */
  readonly path: string;
  answer(question: Question, context: StudioContext): Promise<Answer>;
}

export interface Question {
  readonly query: URLSearchParams;
  /** The body of a POST, parsed; undefined of a GET. */
  readonly body?: unknown;
  readonly request: IncomingMessage;
}

/** What the server was started with. */
export interface StudioContext {
  /** Real path of the folder below which files may be read; undefined where nothing was opened. */
  readonly folder?: string;
  /** What was opened, below the folder: a file of data, or the folder of a study. */
  readonly opened?: { readonly kind: "file" | "study"; readonly path: string };
  /** What a publication adds to reports of runs that have its settings; loaded when a report is asked for. */
  readonly additions?: () => Promise<ReportAdditions>;
}

/** JSON, bytes of a type, a document of its own in which nothing runs, or a stream of events that goes on until the page leaves. */
export type Answer =
  | { readonly json: unknown }
  | { readonly bytes: Uint8Array; readonly type: string }
  | { readonly html: string }
  | { readonly events: (send: (event: unknown) => void, signal: AbortSignal) => Promise<void> };
