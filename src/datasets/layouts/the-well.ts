import type { NamedArray } from "../array-file.js";
import { plainName } from "../array-names.js";
import { axisOf, type ViewAxis, viewOf } from "../arrays/view.js";
import type { Layout } from "./layout.js";

const FIELD = /^t([012])_fields\/[^/]+$/;
const SCALAR = /^scalars\/[^/]+$/;

/**
 * The Well (docs/data_format.md of its repository): trajectories x times x space, then components. A field that does not
 * vary along an axis lacks it in the file; here all fields have all axes.
 */
export const theWellLayout: Layout = {
  name: "the-well",
  words: "The Well: trajectories, times, space, components",
  applies: async (file) =>
    file.attributes.n_trajectories !== undefined &&
    (await file.list()).some(({ name }) => FIELD.test(plainName(name))),
  arranged: async (file) => {
    const present = await file.list();
    const length = (name: string) => present.find((one) => plainName(one.name) === name)?.shape?.at(-1);
    const spatial = [
      ...new Set([...listOf(file.attributes.spatial_dims), "x", "y", "z", "r", "theta", "phi"]),
    ].filter((name) => length(`dimensions/${name}`) !== undefined);
    const space = (await dimensionNames(file)) ?? spatial;
    const trajectories = Number(file.attributes.n_trajectories);
    const times = length("dimensions/time") ?? 1;
    const full = (array: NamedArray, order: number): NamedArray => {
      const { sample_varying, time_varying, dim_varying } = array.attributes;
      const varies = [
        sample_varying !== 0,
        time_varying !== 0,
        ...space.map((_, i) => (Array.isArray(dim_varying) ? dim_varying[i] !== 0 : true)),
      ];
      const names = ["sample", "t", ...space];
      const lengths = [trajectories, times, ...space.map((name) => length(`dimensions/${name}`) ?? 1)];
      const expected = varies.filter(Boolean).length + order;
      if (array.shape.length !== expected && array.shape.length !== expected + (order === 2 ? -1 : 0))
        return array;
      let stored = 0;
      const axes: ViewAxis[] = varies.map((isStored, i) =>
        isStored
          ? { ...axisOf(array, stored++), name: names[i] }
          : { axis: undefined, length: lengths[i], name: names[i] },
      );
      while (stored < array.shape.length) axes.push({ ...axisOf(array, stored++), name: "component" });
      const view = viewOf({ ...array, scales: [] }, axes);
      const scale = (name: string, size: number) => {
        const at = `dimensions/${name === "t" ? "time" : name}`;
        const found = present.find((one) => plainName(one.name) === at);
        return found?.shape?.length === 1 && found.shape[0] === size ? found.name : undefined;
      };
      return {
        ...view,
        scales: axes.map(({ length: size }, i) =>
          i === 0 || i > space.length + 1 ? undefined : scale(names[i], size),
        ),
      };
    };
    const opened = async (name: string) => {
      const array = await file.array(name);
      const field = FIELD.exec(plainName(name));
      if (field) return full(array, Number(field[1]));
      if (SCALAR.test(plainName(name)) && array.attributes.sample_varying !== 0 && array.shape.length === 1)
        return array;
      return array;
    };
    const list = await Promise.all(
      present.map(async (one) =>
        one.shape !== undefined && FIELD.test(plainName(one.name))
          ? { ...one, shape: (await opened(one.name)).shape }
          : one,
      ),
    );
    const parameters: Record<string, number> = {};
    for (const { name, shape } of present) {
      if (!SCALAR.test(plainName(name)) || shape === undefined || shape.length > 0) continue;
      const [value] = await (await file.array(name)).read(0, 1);
      parameters[plainName(name).slice("scalars/".length)] = Number(value);
    }
    return {
      ...file,
      attributes: { ...parameters, ...file.attributes },
      list: async () => list,
      array: opened,
    };
  },
};

const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string") ? value : [];

/** Names of the spatial axes as the group of dimensions lists them. */
async function dimensionNames(
  file: Parameters<Layout["arranged"]>[0],
): Promise<readonly string[] | undefined> {
  const said = listOf(file.groupAttributes?.("dimensions").spatial_dims);
  return said.length > 0 ? said : undefined;
}
