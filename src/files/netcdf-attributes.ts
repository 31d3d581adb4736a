import { type ElementType, isInteger, type RowArray, toNumbers, type Values } from "./ndarray.js";

/** What a variable's attributes may be; those of HDF5 and of classic netCDF alike. */
type Attributes = Readonly<Record<string, number | string | readonly number[] | readonly string[]>>;

/** How the numbers of a netCDF variable stand for values (netCDF User's Guide, "Attribute Conventions"). */
export interface Packing {
  /** Type of the values. */
  readonly dtype: ElementType;
  /** Values from the numbers as they are stored; NaN where one is missing. */
  unpack(values: Values): Values;
}

/** What netCDF puts where floats were never written (NC_FILL_FLOAT and NC_FILL_DOUBLE). */
const NEVER_WRITTEN = 9.969209968386869e36;

const SCALING = ["scale_factor", "add_offset"];
const FILLS = ["_FillValue", "missing_value"];

/** How a netCDF variable is packed, or why it cannot be read; undefined where its numbers are its values. */
export function packingOf(
  dtype: ElementType,
  attributes: Attributes,
): Packing | { readonly problem: string } | undefined {
  const numbersOf = (name: string): readonly (number | string)[] => {
    const value = attributes[name];
    return value === undefined ? [] : Array.isArray(value) ? value : [value as number | string];
  };
  for (const name of [...SCALING, ...FILLS])
    if (numbersOf(name).some((value) => typeof value !== "number"))
      return { problem: `has an attribute ${name} that is no number: ${String(attributes[name])}` };
  for (const name of SCALING)
    if (numbersOf(name).length > 1)
      return { problem: `has an attribute ${name} of ${numbersOf(name).length} numbers in place of one` };
  if (String(attributes._Unsigned) === "true")
    return { problem: "marks its numbers as _Unsigned: load it with xarray and save it with to_netcdf" };
  const fills = FILLS.flatMap(numbersOf) as number[];
  const [scale] = numbersOf("scale_factor") as number[];
  const [offset] = numbersOf("add_offset") as number[];
  const isScaled = scale !== undefined || offset !== undefined;
  if (isInteger(dtype) && fills.length === 0 && !isScaled) return undefined;
  const isMissing = new Set(isInteger(dtype) ? fills : [...fills, NEVER_WRITTEN, Math.fround(NEVER_WRITTEN)]);
  const isFloat = !isInteger(dtype) && !isScaled;
  const unpack = (values: Values): Values => {
    if (isFloat && !(values as Float64Array).some((value) => isMissing.has(value))) return values;
    const one = (value: number) =>
      isMissing.has(value) ? NaN : isScaled ? value * (scale ?? 1) + (offset ?? 0) : value;
    return isFloat ? (values as Float64Array).map(one) : toNumbers(values).map(one);
  };
  return { dtype: isFloat ? dtype : "float64", unpack };
}

/** An array with its values unpacked. */
export function unpacked<T extends RowArray>(array: T, { dtype, unpack }: Packing): T {
  const { read, readBox } = array;
  return {
    ...array,
    dtype,
    read: async (start, end) => unpack(await read(start, end)),
    readBox: readBox && (async (box) => unpack(await readBox(box))),
  };
}
