import type { Backend } from "../../engine/backend.js";
import { UserError } from "../../errors.js";

/** Milliseconds of work after which messages from the page are read. */
const TURN = 8;

/** Training that was stopped for good. */
export class Stopped extends UserError {
  override name = "Stopped";
}

/** What all programs of training pass: between two of them the page can hold or stop them. */
export interface Gate {
  /** Lets messages be read, waits while the gate is held, and throws {@link Stopped} once it was stopped. */
  pass(): Promise<void>;
  /** Holds whoever comes. The promise is kept when somebody waits. */
  hold(): Promise<void>;
  release(): void;
  stop(): void;
}

export function openGate(): Gate {
  let since = performance.now();
  let isStopped = false;
  let held: { readonly reached: Deferred; readonly released: Deferred } | undefined;
  return {
    async pass() {
      if (performance.now() - since > TURN) {
        await messagesRead();
        since = performance.now();
      }
      while (held && !isStopped) {
        held.reached.resolve();
        await held.released.promise;
      }
      if (isStopped) throw new Stopped("training was stopped");
    },
    hold() {
      held ??= { reached: deferred(), released: deferred() };
      return held.reached.promise;
    },
    release() {
      held?.released.resolve();
      held = undefined;
    },
    stop() {
      isStopped = true;
      held?.released.resolve();
    },
  };
}

/** A backend whose programs pass a gate before each run. */
export const gated = (backend: Backend, gate: Gate): Backend => ({
  ...backend,
  async compile(program, options) {
    await gate.pass();
    const executable = await backend.compile(program, options);
    return {
      async run(inputs, wanted) {
        await gate.pass();
        return executable.run(inputs, wanted);
      },
      read: (name) => executable.read(name),
      write: (name, values) => executable.write(name, values),
      close: () => executable.close(),
    };
  },
});

/** Lets messages that have arrived be answered. A timer would wait for 4 ms, which is a third of a round. */
export function messagesRead(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
}

function deferred(): Deferred {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}
