import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { Driver } from "./driver.js";
import { received64 } from "./ffi.js";

/** A CUDA event: a place in the order of a device's work, to wait for and to measure from. */
export interface DeviceEvent {
  /** Records the event behind all work issued so far. In a capture it becomes part of the graph, recorded at every launch. */
  record(): void;
  /** Resolves when the work before it is done; at once if it was never recorded. Other work of this process goes on. */
  reached(): Promise<void>;
  /** The same without letting anything else run. */
  wait(): void;
  /** Milliseconds that passed on the device since another event; both have been reached. */
  since(earlier: DeviceEvent): number;
  close(): void;
}

/** Milliseconds after which waiting no longer takes every turn. */
const PATIENCE = 50;
/** In a capture: an event of the graph instead of an order between streams. */
const RECORD_EXTERNAL = 1;

/** A new event of the driver on a stream. */
export function openEvent(driver: () => Driver, stream: bigint, isCapturing: () => boolean): DeviceEvent {
  const event = received64((into) => driver().cuEventCreate(into, 0));
  return new CudaEvent(event, driver, stream, isCapturing);
}

class CudaEvent implements DeviceEvent {
  constructor(
    private readonly event: bigint,
    private readonly driver: () => Driver,
    private readonly stream: bigint,
    private readonly isCapturing: () => boolean,
  ) {}

  record(): void {
    this.driver().cuEventRecordWithFlags(this.event, this.stream, this.isCapturing() ? RECORD_EXTERNAL : 0);
  }

  reached(): Promise<void> {
    return until(() => this.driver().isReached(this.event));
  }

  wait(): void {
    this.driver().cuEventSynchronize(this.event);
  }

  since(earlier: DeviceEvent): number {
    const milliseconds = new Float32Array(1);
    this.driver().cuEventElapsedTime(milliseconds, (earlier as CudaEvent).event, this.event);
    return milliseconds[0];
  }

  close(): void {
    this.driver().cuEventDestroy_v2(this.event);
  }
}

/** Resolves when the device says so, which is asked in every turn at first and then every millisecond. */
export async function until(isDone: () => boolean): Promise<void> {
  const started = performance.now();
  while (!isDone()) {
    if (performance.now() - started < PATIENCE) await nextTurn();
    else await pause(1);
  }
}
