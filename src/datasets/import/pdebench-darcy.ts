import { basename } from "node:path";
import type { Hdf5File } from "../../files/hdf5.js";
import { toFloats } from "../../files/ndarray.js";
import { expectShape } from "./expect-shape.js";
import { axisOf, openPdebench } from "./pdebench-file.js";
import type { PublicData } from "./public-data.js";
import { thinGrid } from "./thin-grid.js";

export interface PdebenchDarcyOptions {
  /** Points along each axis; every n-th point is kept. Default: all. */
  readonly grid?: number;
}

/**
 * PDEBench's `2D_DarcyFlow_beta*_Train.hdf5`: `nu` (samples, x, y) is the permeability, `tensor` (samples, 1, x, y) the
 * pressure, `x-coordinate` and `y-coordinate` the cell centres, the attribute `beta` the constant force.
 */
export function openPdebenchDarcy(
  paths: readonly string[],
  { grid }: PdebenchDarcyOptions = {},
): Promise<PublicData> {
  return openPdebench("pdebench-darcy", paths, (file) => darcy(file, grid));
}

async function darcy(file: Hdf5File, grid: number | undefined): Promise<PublicData> {
  const nu = file.dataset("/nu");
  const tensor = file.dataset("/tensor");
  expectShape(`${file.name}:/nu`, nu.shape, ["samples", "x", "y"]);
  const [samples, rows, columns] = nu.shape;
  expectShape(`${file.name}:/tensor`, tensor.shape, [samples, 1, rows, columns]);
  const thin = thinGrid(file.name, [rows, columns], grid);
  const beta = [file.attributes().beta].flat()[0];
  return {
    task: "darcy",
    equation: "a(x, y) -> u(x, y): u_t - div(a grad u) = beta, u = 0 on the boundary, near steady state",
    origin: "imported from PDEBench",
    sources: [basename(file.name)],
    files: [file.name],
    samples,
    inputs: {
      shape: thin.shape,
      axes: ["x", "y"],
      read: async (sample) => thin.field(toFloats(await nu.read(sample, sample + 1))),
    },
    responses: {
      shape: thin.shape,
      axes: ["x", "y"],
      read: async (sample) => thin.field(toFloats(await tensor.read(sample, sample + 1))),
    },
    coordinates: {
      x: thin.axis(await axisOf(file, "/x-coordinate", rows), 0),
      y: thin.axis(await axisOf(file, "/y-coordinate", columns), 1),
    },
    attributes: {
      ...(beta !== undefined && { beta }),
      input_channels: ["permeability"],
      response_channels: ["pressure"],
      source_grid: [rows, columns],
    },
    close: () => file.close(),
  };
}
