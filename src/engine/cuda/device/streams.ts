import type { Cublas, Multiplier } from "./cublas.js";
import type { Driver } from "./driver.js";
import { received64 } from "./ffi.js";
import type { Pointer } from "./gemm.js";

/** A stream, with a cuBLAS and a workspace of its own: so products have the same bits whatever goes on beside them. */
export interface Lane {
  readonly stream: bigint;
  readonly multiplier: Multiplier;
}

/** Streams of a device. The first is the one on which everything is ordered; the others only serve `fork`. */
export interface Lanes {
  readonly main: Lane;
  /** Does each task on a lane: all begin when what was issued before is done, and what is issued later waits for all. */
  fork(tasks: readonly (() => void)[], onLane: (lane: Lane) => void): void;
  close(): void;
}

/** Bytes that each cuBLAS has to itself, as NVIDIA recommends from Hopper on. */
const WORKSPACE = 32 * 2 ** 20;
/** A stream that does not wait for the default one. */
const NON_BLOCKING = 1;
const EVENT_WITHOUT_TIME = 2;

export function openLanes(
  driver: Driver,
  cublas: Cublas,
  options: {
    readonly count: number;
    readonly tf32: boolean;
    readonly allocate: (bytes: number) => Pointer;
  },
): Lanes {
  const lanes = Array.from({ length: options.count }, (): Lane => {
    const stream = received64((into) => driver.cuStreamCreate(into, NON_BLOCKING));
    const workspace = options.allocate(WORKSPACE);
    return {
      stream,
      multiplier: cublas.start({ stream, workspace, workspaceBytes: WORKSPACE, tf32: options.tf32 }),
    };
  });
  const [main] = lanes;
  // One to begin at, and one for the end of each lane.
  const events = lanes.map(() => received64((into) => driver.cuEventCreate(into, EVENT_WITHOUT_TIME)));
  return {
    main,
    fork(tasks, onLane) {
      const used = Math.min(tasks.length, lanes.length);
      driver.cuEventRecordWithFlags(events[0], main.stream, 0);
      for (let i = 1; i < used; i++) driver.cuStreamWaitEvent(lanes[i].stream, events[0], 0);
      try {
        tasks.forEach((task, i) => {
          onLane(lanes[i % used]);
          task();
        });
      } finally {
        onLane(main);
      }
      for (let i = 1; i < used; i++) {
        driver.cuEventRecordWithFlags(events[i], lanes[i].stream, 0);
        driver.cuStreamWaitEvent(main.stream, events[i], 0);
      }
    },
    close() {
      for (const { multiplier } of lanes) multiplier.close();
      for (const event of events) driver.cuEventDestroy_v2(event);
      for (const { stream } of lanes) driver.cuStreamDestroy_v2(stream);
    },
  };
}
