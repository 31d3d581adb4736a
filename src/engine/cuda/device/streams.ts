import type { Cublas, Multiplier } from "./cublas.js";
import type { Driver } from "./driver.js";
import { received64 } from "./ffi.js";
import type { Pointer } from "./gemm.js";

/** A CUDA stream with its own cuBLAS handle and workspace, so that concurrent work cannot change a product's bits. */
export interface ComputeStream {
  readonly stream: bigint;
  readonly multiplier: Multiplier;
}

/** The streams of a device. All work is ordered on the first one; the others only serve `fork`. */
export interface Streams {
  readonly main: ComputeStream;
  /** Runs tasks on several streams. All wait for the work issued before; work issued later waits for all of them. */
  fork(tasks: readonly (() => void)[], onStream: (stream: ComputeStream) => void): void;
  close(): void;
}

/** Bytes that each cuBLAS has to itself, as NVIDIA recommends from Hopper on. */
const WORKSPACE = 32 * 2 ** 20;
/** A stream that does not wait for the default one. */
const NON_BLOCKING = 1;
const EVENT_WITHOUT_TIME = 2;

export function openStreams(
  driver: Driver,
  cublas: Cublas,
  options: {
    readonly count: number;
    readonly tf32: boolean;
    readonly allocate: (bytes: number) => Pointer;
  },
): Streams {
  const streams = Array.from({ length: options.count }, (): ComputeStream => {
    const stream = received64((into) => driver.cuStreamCreate(into, NON_BLOCKING));
    const workspace = options.allocate(WORKSPACE);
    return {
      stream,
      multiplier: cublas.start({ stream, workspace, workspaceBytes: WORKSPACE, tf32: options.tf32 }),
    };
  });
  const [main] = streams;
  // One event at which all begin, and one for the end of each stream.
  const events = streams.map(() => received64((into) => driver.cuEventCreate(into, EVENT_WITHOUT_TIME)));
  return {
    main,
    fork(tasks, onStream) {
      const used = Math.min(tasks.length, streams.length);
      driver.cuEventRecordWithFlags(events[0], main.stream, 0);
      for (let i = 1; i < used; i++) driver.cuStreamWaitEvent(streams[i].stream, events[0], 0);
      try {
        tasks.forEach((task, i) => {
          onStream(streams[i % used]);
          task();
        });
      } finally {
        onStream(main);
      }
      for (let i = 1; i < used; i++) {
        driver.cuEventRecordWithFlags(events[i], streams[i].stream, 0);
        driver.cuStreamWaitEvent(main.stream, events[i], 0);
      }
    },
    close() {
      for (const { multiplier } of streams) multiplier.close();
      for (const event of events) driver.cuEventDestroy_v2(event);
      for (const { stream } of streams) driver.cuStreamDestroy_v2(stream);
    },
  };
}
