import { promisify } from "node:util";
import { DeviceError } from "../../../errors.js";

/** What a C function takes here: numbers, addresses, memory of ours, text, and lists of texts. */
export type NativeArgument = number | bigint | string | null | ArrayBufferView | readonly string[];
/** A C function that returns a status. */
export type NativeFunction = (...values: NativeArgument[]) => number;

/** A shared library that is loaded. */
export interface NativeLibrary {
  /** Finds a function by its C prototype, such as `int cuInit(uint32_t)`. */
  status(prototype: string): NativeFunction;
  /** The same on another thread, beside what goes on here. */
  statusLater(prototype: string): (...values: NativeArgument[]) => Promise<number>;
  /** The same for one that returns text. */
  text(prototype: string): (...values: NativeArgument[]) => string;
}

/** Calls of C functions. */
export interface Ffi {
  /** Loads a library by its path, or by its plain name where the system looks; throws if it cannot be loaded. */
  open(path: string): NativeLibrary;
  /** Where the bytes of a view lie; they stay there as long as the view is held. */
  address(view: ArrayBufferView): bigint;
  /** Memory at an address as a buffer, for as long as it is not freed. */
  view(address: bigint, bytes: number): ArrayBuffer;
  /** Text that a pointer leads to, up to its zero. */
  textAt(address: bigint): string;
}

/** Libraries that are loaded stay so: koffi would unload one whose functions are not held. */
const loaded: unknown[] = [];

/** Bytes of stack for C functions: NVRTC descends into nested expressions, and koffi's 2 MiB end at a few hundred levels; more than 16 it does not give. */
const STACK = 16 * 2 ** 20;

let known: Promise<Ffi> | undefined;

/** Calls of C functions by koffi, which is an optional dependency: only CUDA needs it. */
export function loadFfi(): Promise<Ffi> {
  known ??= startKoffi();
  return known;
}

async function startKoffi(): Promise<Ffi> {
  const koffi = await import("koffi").then(
    (module) => module.default,
    () => {
      throw new DeviceError("CUDA needs the package koffi, which is not installed: npm install koffi");
    },
  );
  try {
    koffi.config({ sync_stack_size: STACK, async_stack_size: STACK });
  } catch {
    // Somebody else in this process has loaded a library by koffi: then the stack is what it is.
  }
  return {
    open(path) {
      // Global, so that libraries loaded later find those that they need by name.
      const library = koffi.load(path, { lazy: true, global: true });
      loaded.push(library);
      const find = (prototype: string) => {
        try {
          return library.func(prototype);
        } catch {
          const [, name] = /(\w+)\(/.exec(prototype) ?? [];
          throw new DeviceError(`${path} has no ${name}: it is too old, take one of CUDA 12 or 13`);
        }
      };
      const statusLater = (prototype: string) =>
        promisify(find(prototype).async) as ReturnType<NativeLibrary["statusLater"]>;
      return { status: find, statusLater, text: find };
    },
    address: (view) => koffi.address(view),
    view: (address, bytes) => koffi.view(address, bytes),
    textAt: (address) => koffi.decode.string(address),
  };
}

/** Functions of a library by the names of their prototypes, and what each call does where its status is not 0. */
export function bind<const Prototypes extends Readonly<Record<string, string>>>(
  library: NativeLibrary,
  prototypes: Prototypes,
  fail: (name: string, status: number) => never,
): { readonly [Name in keyof Prototypes]: (...values: NativeArgument[]) => void } {
  const bound = Object.entries(prototypes).map(([name, parameters]) => {
    const call = library.status(`int ${name}(${parameters})`);
    const checked = (...values: NativeArgument[]) => {
      const status = call(...values);
      if (status !== 0) fail(name, status);
    };
    return [name, checked];
  });
  return Object.fromEntries(bound);
}

/** What a C function writes through its last pointer: one number of 32 or 64 bits. */
export function received(call: (into: Int32Array) => void): number {
  const into = new Int32Array(1);
  call(into);
  return into[0];
}

export function received64(call: (into: BigUint64Array) => void): bigint {
  const into = new BigUint64Array(1);
  call(into);
  return into[0];
}
