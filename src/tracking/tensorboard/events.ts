import { bytesFields, fieldsOf, textField, wholeField } from "../../files/protobuf/read-protobuf.js";
import {
  bytes,
  double,
  float,
  type Message,
  message,
  serialise,
  text,
  whole,
} from "../../files/protobuf/write-protobuf.js";

// Fields of tensorboard.Event and tensorboard.Summary.Value (tensorboard/compat/proto/event.proto, summary.proto).
const EVENT = { wallTime: 1, step: 2, fileVersion: 3, summary: 5, sessionLog: 7, source: 10 } as const;
const VALUE = { tag: 1, simpleValue: 2, tensor: 8, metadata: 9 } as const;

const DT_FLOAT = 1;
const DT_STRING = 7;
const SESSION_START = 1;

/** The first event of every file. It also says who writes it. */
export function versionEvent(time: number, writer: string): Uint8Array {
  return serialise(
    double(EVENT.wallTime, time / 1000),
    text(EVENT.fileVersion, "brain.Event:2"),
    message(EVENT.source, text(1, writer)),
  );
}

/** Scalars of one step. They are one event, so that a reader has all of them or none. */
export function scalarsEvent(
  time: number,
  step: number,
  metrics: Readonly<Record<string, number>>,
): Uint8Array {
  const values = Object.entries(metrics).map(([tag, value]) =>
    message(1, text(VALUE.tag, tag), float(VALUE.simpleValue, value)),
  );
  return event(time, step, message(EVENT.summary, ...values));
}

/** Says that a session starts at a step. After the first one, TensorBoard forgets what it has from that step on. */
export function sessionEvent(time: number, step: number): Uint8Array {
  return event(time, step, message(EVENT.sessionLog, whole(1, SESSION_START)));
}

/** A summary for a plugin: content in its metadata, or a tensor of one string. */
export function pluginEvent(
  time: number,
  tag: string,
  plugin: string,
  data: { readonly content: Uint8Array } | { readonly string: Uint8Array },
): Uint8Array {
  const content = "content" in data ? bytes(2, data.content) : [];
  const metadata = message(VALUE.metadata, message(1, text(1, plugin), content));
  // A time series needs a value: a float tensor of shape (0,) where the metadata say it all.
  const tensor =
    "string" in data
      ? message(VALUE.tensor, whole(1, DT_STRING), message(2), bytes(8, data.string))
      : message(VALUE.tensor, whole(1, DT_FLOAT), message(2, message(2)));
  return event(time, 0, message(EVENT.summary, message(1, text(VALUE.tag, tag), tensor, metadata)));
}

function event(time: number, step: number, content: Message): Uint8Array {
  const steps = step === 0 ? [] : whole(EVENT.step, step);
  return serialise(double(EVENT.wallTime, time / 1000), steps, content);
}

/** What an event says, as far as it matters for going on with a file. */
export interface ReadEvent {
  readonly step: number;
  /** Who wrote the file, in its first event. */
  readonly writer: string | undefined;
  readonly isSessionStart: boolean;
  /** Tags of its values, each with the content for a plugin. */
  readonly tags: ReadonlyMap<string, Uint8Array | undefined>;
}

export function readEvent(data: Uint8Array): ReadEvent {
  const [source] = bytesFields(data, EVENT.source);
  const [session] = bytesFields(data, EVENT.sessionLog);
  const values = bytesFields(data, EVENT.summary).flatMap((summary) => bytesFields(summary, 1));
  return {
    step: wholeField(data, EVENT.step),
    writer: source && textField(source, 1),
    isSessionStart: session !== undefined && wholeField(session, 1) === SESSION_START,
    tags: new Map(values.map((value) => [textField(value, VALUE.tag), contentOf(value)])),
  };
}

function contentOf(value: Uint8Array): Uint8Array | undefined {
  for (const { field, value: metadata } of fieldsOf(value))
    if (field === VALUE.metadata && metadata instanceof Uint8Array)
      return bytesFields(bytesFields(metadata, 1)[0] ?? new Uint8Array(), 2)[0];
  return undefined;
}
