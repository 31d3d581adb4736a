import { plainName } from "../array-names.js";
import type { Layout } from "./layout.js";

const FIELDS = /^(tensor|density|pressure|V[xyz])$/;
const AXES = ["x", "y", "z"] as const;

/**
 * PDEBench's one- to three-dimensional files: samples x times x space, with coordinates in arrays of their own. Those of
 * time have one more entry than there are frames (its last is the end of the simulation), so that lengths alone do not
 * tell what belongs to what.
 */
export const pdebenchLayout: Layout = {
  name: "pdebench",
  words: "PDEBench: samples, times, space",
  applies: async (file) => {
    const names = new Set((await file.list()).map(({ name }) => plainName(name)));
    return (
      file.format === "hdf5" &&
      names.has("x-coordinate") &&
      names.has("t-coordinate") &&
      [...names].some((name) => FIELDS.test(name))
    );
  },
  arranged: async (file) => {
    const shapes = new Map((await file.list()).map(({ name, shape }) => [plainName(name), { name, shape }]));
    const times = shapes.get("t-coordinate");
    return {
      ...file,
      array: async (name) => {
        const array = await file.array(name);
        const space = array.shape.length - 2;
        if (!FIELDS.test(plainName(name)) || space < 1 || space > AXES.length) return array;
        const lines = AXES.slice(0, space).map((axis) => shapes.get(`${axis}-coordinate`));
        const fits = lines.every((line, i) => line?.shape?.join() === String(array.shape[i + 2]));
        if (!fits) return array;
        const frames = array.shape[1];
        const [length = 0] = times?.shape ?? [];
        const time =
          length === frames ? times?.name : length === frames + 1 ? `${times?.name}[0:${frames}]` : undefined;
        return {
          ...array,
          attributes: { ...array.attributes, DIMENSION_LABELS: ["sample", "t", ...AXES.slice(0, space)] },
          scales: [undefined, time, ...lines.map((line) => line?.name)],
        };
      },
    };
  },
};
