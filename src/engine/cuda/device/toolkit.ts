import { DeviceError } from "../../../errors.js";
import { type Cublas, openCublas } from "./cublas.js";
import { type Driver, openDriver } from "./driver.js";
import { type Ffi, loadFfi } from "./ffi.js";
import { CUDA_MAJORS, type Machine } from "./libraries.js";
import { type Nvrtc, openNvrtc } from "./nvrtc.js";

/** All of CUDA that is needed, loaded. */
export interface Toolkit {
  readonly ffi: Ffi;
  readonly driver: Driver;
  readonly nvrtc: Nvrtc;
  readonly cublas: Cublas;
}

/** Loads the driver, NVRTC and cuBLAS; the `DeviceError` of the first that fails says why and where it looked. */
export async function openToolkit(machine?: Machine): Promise<Toolkit> {
  const ffi = await loadFfi();
  const driver = openDriver(ffi, machine);
  const [major, minor] = driver.version;
  // A library runs on drivers of its own major version and of later ones.
  const majors = CUDA_MAJORS.filter((known) => known <= major);
  if (majors.length === 0)
    throw new DeviceError(
      `the driver ${driver.path} ends at CUDA ${major}.${minor}: update it to 12 or later`,
    );
  return {
    ffi,
    driver,
    nvrtc: openNvrtc(ffi, machine, majors),
    cublas: openCublas(ffi, machine, majors),
  };
}
