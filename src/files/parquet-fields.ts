import type { ColumnChunk, SchemaElement } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";

/** A column in which every row has the same shape, its values in C order, row after row; `[]` is one number a row. */
export interface FixedShapeColumn {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: BigInt64Array | Float32Array | Float64Array;
}

/** Bytes of values that a page holds at most, unless one row has more. */
const PAGE_BYTES = 8 << 20;
const MAGIC = 0x31524150; // PAR1

/**
 * A Parquet file of columns of fixed shape, as nested lists, uncompressed. Since all rows have the same shape, their
 * repetition and definition levels are a few repeated runs, and values are copied as they lie in memory: hyparquet-writer,
 * which writes the headers here, would visit each number and take about 50 times as long.
 */
export function fixedShapeParquet(
  columns: readonly FixedShapeColumn[],
  rows: number,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const bytes = columns.reduce((sum, { values }) => sum + values.byteLength, 0);
  const writer = new ByteWriter(Math.ceil(1.01 * bytes) + 65536);
  writer.appendUint32(MAGIC);
  const chunks = columns.map((column) => writeColumn(writer, column, rows));
  const start = writer.offset;
  writeMetadata(writer, {
    version: 2,
    created_by: "pde-dirichlet",
    schema: [{ name: "schema", num_children: columns.length }, ...columns.flatMap(schemaOf)],
    num_rows: BigInt(rows),
    row_groups: [{ columns: chunks, num_rows: BigInt(rows), total_byte_size: BigInt(start - 4) }],
    key_value_metadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    metadata_length: 0, // not written
  });
  writer.appendUint32(writer.offset - start);
  writer.appendUint32(MAGIC);
  return writer.getBytes();
}

function typeOf({ values }: FixedShapeColumn): "INT64" | "FLOAT" | "DOUBLE" {
  if (values instanceof BigInt64Array) return "INT64";
  return values instanceof Float32Array ? "FLOAT" : "DOUBLE";
}

/** A number, or lists of lists of numbers in the three levels that Parquet prescribes for a list. */
function schemaOf(column: FixedShapeColumn): SchemaElement[] {
  const { name, shape } = column;
  const type = typeOf(column);
  if (shape.length === 0) return [{ name, type, repetition_type: "REQUIRED" }];
  const list = (own: string): SchemaElement[] => [
    { name: own, repetition_type: "OPTIONAL", num_children: 1, converted_type: "LIST" },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
  ];
  return [
    ...shape.flatMap((_, axis) => list(axis === 0 ? name : "element")),
    { name: "element", type, repetition_type: "OPTIONAL" },
  ];
}

function writeColumn(writer: ByteWriter, column: FixedShapeColumn, rows: number): ColumnChunk {
  const { name, shape, values } = column;
  const size = shape.reduce((product, length) => product * length, 1);
  if (values.length !== rows * size)
    throw new RangeError(`${name}: ${rows} rows of ${size} numbers are not ${values.length}`);
  const rowBytes = size * values.BYTES_PER_ELEMENT;
  const step = Math.max(1, Math.floor(PAGE_BYTES / rowBytes));
  const repetition = repetitionRuns(shape);
  const begin = writer.offset;
  for (let row = 0; row < rows; row += step) {
    const count = Math.min(step, rows - row);
    const definition = definitionRun(shape, count * size);
    const levels = count * repetition.length + definition.length;
    const pageBytes = levels + count * rowBytes;
    writePageHeader(writer, {
      type: "DATA_PAGE_V2",
      uncompressed_page_size: pageBytes,
      compressed_page_size: pageBytes,
      data_page_header_v2: {
        num_values: count * size,
        num_nulls: 0,
        num_rows: count,
        encoding: "PLAIN",
        definition_levels_byte_length: definition.length,
        repetition_levels_byte_length: count * repetition.length,
        is_compressed: false,
      },
    });
    for (let i = 0; i < count; i++) writer.appendBytes(repetition);
    writer.appendBytes(definition);
    const at = values.byteOffset + row * rowBytes;
    writer.appendBytes(new Uint8Array(values.buffer, at, count * rowBytes));
  }
  const written = BigInt(writer.offset - begin);
  return {
    file_offset: BigInt(begin),
    meta_data: {
      type: typeOf(column),
      encodings: ["PLAIN", "RLE"],
      path_in_schema: [name, ...shape.flatMap(() => ["list", "element"])],
      codec: "UNCOMPRESSED",
      num_values: BigInt(values.length),
      total_uncompressed_size: written,
      total_compressed_size: written,
      data_page_offset: BigInt(begin),
    },
  };
}

/**
 * Repetition levels of one row as runs: a value's level is the number of axes, from the first on, whose list goes on. The
 * first value of a row has level 0, the first of the innermost list that of the axis that advances, all others the highest.
 */
function repetitionRuns(shape: readonly number[]): Uint8Array {
  if (shape.length === 0) return new Uint8Array(0);
  const width = shape[shape.length - 1];
  const lists = shape.slice(0, -1).reduce((product, length) => product * length, 1);
  const runs: number[] = [];
  for (let list = 0; list < lists; list++) {
    runs.push(...run(1, advancing(list, shape)));
    if (width > 1) runs.push(...run(width - 1, shape.length));
  }
  return Uint8Array.from(runs);
}

/** The level at which an innermost list begins: 0 for the first of a row. */
function advancing(list: number, shape: readonly number[]): number {
  if (list === 0) return 0;
  let level = shape.length - 1;
  for (let rest = list; rest % shape[level - 1] === 0; level--) rest /= shape[level - 1];
  return level;
}

/** All values are there: one run of the highest definition level. */
function definitionRun(shape: readonly number[], values: number): Uint8Array {
  return Uint8Array.from(shape.length === 0 ? [] : run(values, 2 * shape.length + 1));
}

/** A run of Parquet's RLE: twice its length as a variable-length number, then the level. */
function run(length: number, level: number): number[] {
  const bytes: number[] = [];
  let rest = 2 * length;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest, level];
}
