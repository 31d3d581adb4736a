import { DataError } from "../../../errors.js";
import { type NamedShape, refusedArray } from "../../../files/name-list.js";
import type { AxisRange, Values } from "../../../files/ndarray.js";
import { elements } from "../../../numerics/shape.js";
import type { NamedArray } from "../array-file.js";
import { isSameName, plainName } from "../array-names.js";
import { make, place, readBox, wholeAxis } from "../arrays/box.js";
import type { Layout } from "./layout.js";

/** Groups from which on a file holds one a sample. */
const FEWEST = 3;
const NUMBERED = /^(.*?)\d+$/;

/** A group a sample, as PDEBench's `0000/data` and `Sample_0/u`: the same array of all groups is one, `*`+`/data`. */
export const groupsLayout: Layout = {
  name: "groups",
  words: "a group a sample: the same array of all groups is one",
  applies: async (file) => {
    if (file.format !== "hdf5") return false;
    const { groups, members } = stacksOf(await file.list());
    return members.length > 0 && groups.length >= FEWEST;
  },
  arranged: async (file) => {
    const present = await file.list();
    const { groups, members, differing, ragged } = stacksOf(present);
    const shapes = new Map(present.map((one) => [plainName(one.name), one]));
    const grouped = new Set(groups);
    const others = present.filter(({ name }) => !grouped.has(plainName(name).split("/")[0]));
    const stacked: NamedShape[] = members.map((member) => {
      const { shape, dtype } = shapes.get(`${groups[0]}/${member}`)!;
      return isShared(member)
        ? { name: member, shape, dtype }
        : { name: `*/${member}`, shape: [groups.length, ...shape!], dtype };
    });
    const odd: NamedShape[] = differing.map(([member, problem]) => ({
      name: `*/${member}`,
      problem,
      ...(ragged.includes(member) && { ragged: groups.length }),
    }));
    const open = (group: string, member: string) => file.array(shapes.get(`${group}/${member}`)!.name);
    return {
      ...file,
      list: async () => [...others, ...stacked, ...odd],
      array: async (name) => {
        const { problem } = odd.find((one) => isSameName(one.name, name)) ?? {};
        if (problem !== undefined) throw new DataError(`${file.path}: ${plainName(name)} ${problem}`);
        const member = plainName(name).replace(/^\*\//, "");
        const isStacked = stacked.some((one) => isSameName(one.name, name));
        if (!isStacked && shapes.has(plainName(name))) return file.array(name);
        if (!isStacked) throw refusedArray(file.path, name, [...others, ...stacked, ...odd]);
        return isShared(member)
          ? sharedArray(file.path, member, groups, open)
          : stackedArray(member, groups, await open(groups[0], member), open);
      },
    };
  },
};

/** Arrays that every sample's group has at a length of its own, as meshes do. */
export function raggedMembers(present: readonly NamedShape[]): NamedShape[] {
  const { groups, ragged } = stacksOf(present);
  if (groups.length < FEWEST) return [];
  return ragged.map((member) => ({ name: `*/${member}`, ragged: groups.length }));
}

/** Coordinates are the same for all groups. */
const isShared = (member: string): boolean => /^(grid|dimensions|coordinates)\//.test(member);

interface Stacks {
  readonly groups: readonly string[];
  readonly members: readonly string[];
  /** Arrays that only some groups have, or with another shape, and why they are not stacked. */
  readonly differing: readonly (readonly [member: string, problem: string])[];
  /** Those of them that all groups have, with as many axes. */
  readonly ragged: readonly string[];
}

const NO_STACKS: Stacks = { groups: [], members: [], differing: [], ragged: [] };

/** Groups with numbered names, and the arrays that all of them have with one shape. */
function stacksOf(present: readonly NamedShape[]): Stacks {
  const byGroup = new Map<string, Map<string, string>>();
  for (const { name, shape } of present) {
    const [group, ...rest] = plainName(name).split("/");
    if (rest.length === 0 || shape === undefined || !NUMBERED.test(group)) continue;
    if (!byGroup.has(group)) byGroup.set(group, new Map());
    byGroup.get(group)!.set(rest.join("/"), shape.join());
  }
  const prefixes = new Set([...byGroup.keys()].map((group) => NUMBERED.exec(group)![1]));
  if (prefixes.size !== 1) return NO_STACKS;
  const groups = [...byGroup.keys()].sort((a, b) => numberOf(a) - numberOf(b) || a.localeCompare(b));
  const first = byGroup.get(groups[0])!;
  const shapeIn = (group: string, member: string) => byGroup.get(group)!.get(member);
  const all = new Set([...byGroup.values()].flatMap((held) => [...held.keys()]));
  const members: string[] = [];
  const differing: [string, string][] = [];
  for (const member of all) {
    const odd = groups.find((group) => shapeIn(group, member) !== first.get(member));
    if (odd === undefined) members.push(member);
    else differing.push([member, differenceOf(groups[0], first.get(member), odd, shapeIn(odd, member))]);
  }
  const rank = (group: string, member: string) => shapeIn(group, member)?.split(",").length;
  const ragged = differing
    .map(([member]) => member)
    .filter((member) => groups.every((group) => rank(group, member) === rank(groups[0], member)));
  return { groups, members, differing, ragged };
}

/** How an array differs between two groups. */
function differenceOf(
  group: string,
  shape: string | undefined,
  odd: string,
  other: string | undefined,
): string {
  const words = (one: string | undefined) =>
    one === undefined ? "missing" : one.replaceAll(",", " x ") || "one number";
  return `is ${words(shape)} in group ${group} but ${words(other)} in group ${odd}: samples have one shape`;
}

const numberOf = (group: string): number => Number(/\d+$/.exec(group)?.[0]);

type OpenMember = (group: string, member: string) => Promise<NamedArray>;

function stackedArray(
  member: string,
  groups: readonly string[],
  first: NamedArray,
  open: OpenMember,
): NamedArray {
  const shape = [groups.length, ...first.shape];
  const readPart = async ([rows, ...within]: readonly AxisRange[]) => {
    const size = elements(within.map(({ length }) => length));
    let result: Values | undefined;
    for (let i = 0; i < rows.length; i++) {
      const array = await open(groups[rows.start + i * rows.step], member);
      const values = within.length === 0 ? await array.read(0, 1) : await readBox(array, within);
      result ??= make(values, rows.length * size);
      place(result, values, i * size);
    }
    return result ?? make(await first.read(0, 0), 0);
  };
  return {
    shape,
    rows: shape[0],
    dtype: first.dtype,
    attributes: axesOf(member, first),
    scales: [undefined, ...first.shape.map((_, axis) => first.scales[axis])],
    read: (start, end) => readPart([{ start, length: end - start, step: 1 }, ...first.shape.map(wholeAxis)]),
    readBox: readPart,
  };
}

/** PDEBench's samples are time x space x variables. */
function axesOf(member: string, { shape, attributes }: NamedArray): NamedArray["attributes"] {
  const { DIMENSION_LABELS: labels } = attributes;
  if (Array.isArray(labels)) return { ...attributes, DIMENSION_LABELS: ["sample", ...labels] };
  const space = shape.length - 2;
  if (member !== "data" || space < 1 || space > 3) return attributes;
  return {
    ...attributes,
    DIMENSION_LABELS: ["sample", "t", ...["x", "y", "z"].slice(0, space), "variable"],
  };
}

/** What all groups have alike; refused where they differ. */
async function sharedArray(
  path: string,
  member: string,
  groups: readonly string[],
  open: OpenMember,
): Promise<NamedArray> {
  const first = await open(groups[0], member);
  return {
    ...first,
    readBox: undefined,
    read: async (start, end) => {
      const values = await first.read(start, end);
      for (const group of groups) {
        const own = await (await open(group, member)).read(start, end);
        if (own.some((value, i) => value !== values[i]))
          throw new DataError(
            `${path}: ${member} differs between the groups ${groups[0]} and ${group}: samples on different grids cannot be compared point by point`,
          );
      }
      return values;
    },
  };
}
