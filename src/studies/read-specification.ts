import { dirname, isAbsolute, join } from "node:path";
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parse,
  parseDocument,
  type Scalar,
  type YAMLSeq,
} from "yaml";
import type { z } from "zod";
import { FormatError, OptionError } from "../errors.js";
import { isCostName } from "../partition/ground-costs.js";
import { familiarField, familiarStrategy, rangeAnswer } from "./familiar-fields.js";
import { rightPlace } from "./misplaced-field.js";
import { fieldsIn } from "./option-fields.js";
import {
  isTask,
  mapPartitionerPaths,
  mapPaths,
  type StudySpecification,
  specificationSchema,
} from "./specification.js";

/** Letters of the longest study. */
const LONGEST = 1 << 16;

/** A field of a study: names and positions, from the outside in. */
export type FieldPath = readonly (string | number)[];
type Path = FieldPath;

/** What a study's YAML says, and where. */
export interface LocatedSpecification {
  readonly specification: StudySpecification;
  /** Where a field was given, as `x.yaml:3: tasks.0.data` or as the override; of several, the first that was. */
  where(...fields: readonly FieldPath[]): string;
}

/**
 * Reads the YAML of a study. An override, such as `federation.rounds=50`, is a path of fields and positions and a value
 * in YAML. An error is one line that names file, line and field, or the override. Data files are relative to the folder
 * of the YAML; those of overrides, to the working folder.
 */
export function readSpecification(
  text: string,
  name: string,
  overrides: readonly string[] = [],
): StudySpecification {
  return locateSpecification(text, name, overrides).specification;
}

/** The same with the places of its fields, for mistakes that show later. */
export function locateSpecification(
  text: string,
  name: string,
  overrides: readonly string[] = [],
): LocatedSpecification {
  const lines = new LineCounter();
  if (text.length > LONGEST)
    throw new FormatError(`${name} has ${text.length} characters: a study has at most ${LONGEST}`);
  // Pretty errors would show the text around each of thousands, in quadratic time.
  const options = { lineCounter: lines, prettyErrors: false };
  const document = readable(name, () => parseDocument(text, options));
  const [error] = document.errors;
  if (error) {
    throw new FormatError(
      `${name}:${lines.linePos(error.pos[0]).line}: ${error.message.split("\n")[0].replace(/ at line .*/, "")}`,
    );
  }
  const written = renameData(document, name);
  const overridden = overrides.map((override) => applyOverride(document, override));
  expandEntries(document);
  const parsed = readable(name, () => specificationSchema.safeParse(plainValue(document) ?? {}));
  const overrideOf = (path: Path) =>
    overridden.find((changed) => changed.path.every((part, i) => part === path[i]));
  if (parsed.success) {
    const tasks = parsed.data.tasks.map((task, i) =>
      mapPaths(task, (field, path) =>
        isAbsolute(path) || overrideOf(["tasks", i, field]) ? path : join(dirname(name), path),
      ),
    );
    const { partition } = parsed.data;
    const partitioner = partition.partitioner?.map((choice) =>
      mapPartitionerPaths(choice, (_, path) =>
        isAbsolute(path) || overrideOf(["partition", "file"]) || overrideOf(["partition", "partitioner"])
          ? path
          : join(dirname(name), path),
      ),
    );
    const cost = partition.cost?.map((one) =>
      isCostName(one) || isAbsolute(one) || overrideOf(["partition", "cost"])
        ? one
        : join(dirname(name), one),
    );
    const where = (...fields: readonly Path[]) => {
      const path = fields.find((field) => document.hasIn(field)) ?? fields[fields.length - 1];
      const override = overrideOf(path);
      if (override) return `--set ${override.text}`;
      return `${name}:${lineOf(document, path, lines)}: ${fieldName(written(path))}`;
    };
    const specification = {
      ...parsed.data,
      tasks,
      partition: { ...partition, ...(partitioner && { partitioner }), ...(cost && { cost }) },
    };
    return { specification, where };
  }

  const { path, complaint } = describe(parsed.error.issues[0], document, written);
  const override = overrideOf(path);
  if (override) throw new OptionError(`--set ${override.text}: ${complaint}`);
  throw new FormatError(`${name}:${lineOf(document, path, lines)}: ${complaint}`);
}

/**
 * Puts `data`, which is an entry or a list of them, into the place of `tasks`, its name in files of studies.
 *
 * @returns the path under which a field was written
 */
function renameData(document: Document, name: string): (path: Path) => Path {
  const data = isMap(document.contents) ? document.getIn(["data"], true) : undefined;
  if (data === undefined) return (path) => path;
  if (document.has("tasks"))
    throw new FormatError(`${name}: a study has data or tasks, not both: list everything under data`);
  const isList = isSeq(data);
  document.delete("data");
  document.set("tasks", isList ? data : listOfOne(document, data));
  return (path) => {
    const [first, position, field, ...rest] = path;
    if (first !== "tasks") return path;
    const own = field === undefined ? [] : [field === "data" ? "file" : field, ...rest];
    return ["data", ...(isList && position !== undefined ? [position] : []), ...own];
  };
}

function listOfOne(document: Document, item: unknown): YAMLSeq {
  const list = document.createNode([]) as YAMLSeq;
  list.items = [item];
  if (isNode(item)) list.range = item.range;
  return list;
}

/** Writes out entries that are given in short: one word is a task or a file, and `file` is a file of data. */
function expandEntries(document: Document): void {
  const tasks = isMap(document.contents) ? document.getIn(["tasks"], true) : undefined;
  if (isSeq(tasks)) for (const [i, item] of tasks.items.entries()) tasks.items[i] = fullEntry(document, item);
}

/** A list of files as one text, with commas between them. */
function joinedFiles(document: Document, list: YAMLSeq): Scalar {
  const text = list.items.map((item) => (isScalar(item) ? String(item.value) : "")).join(",");
  const joined = document.createNode(text) as Scalar;
  joined.range = list.range;
  return joined;
}

/** An entry of one word, or one that says `file`, as the full form has it. */
function fullEntry(document: Document, item: unknown): unknown {
  if (isMap(item)) {
    const file = item.get("file", true);
    if (file !== undefined && !item.has("data")) {
      item.delete("file");
      item.set("data", isSeq(file) ? joinedFiles(document, file) : file);
    }
    return item;
  }
  if (!isScalar(item) || typeof item.value !== "string") return item;
  const isFile = !isTask(item.value) && /[./\\]/.test(item.value);
  const full = document.createNode({ [isFile ? "data" : "task"]: item.value });
  full.range = item.range;
  return full;
}

/** What the document says. Aliases are unfolded: one that is missing, holds itself or grows without end is refused. */
function plainValue(document: Document): unknown {
  const value = document.toJS();
  JSON.stringify(value); // throws where a value holds itself
  return value;
}

/** Runs what can fail on odd YAML, and says so in one line. */
function readable<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new FormatError(`${name}: cannot read the YAML: ${(error as Error).message.split("\n")[0]}`);
  }
}

function applyOverride(document: Document, text: string): { readonly path: Path; readonly text: string } {
  const equals = text.indexOf("=");
  if (equals < 1)
    throw new OptionError(`--set takes field=value, such as federation.rounds=50, not "${text}"`);
  const path = storedPath(
    text
      .slice(0, equals)
      .split(".")
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
  );
  try {
    const value = document.createNode(parse(text.slice(equals + 1)));
    const isOne = path.length === 1 && path[0] === "tasks" && !isSeq(value);
    document.setIn(path, isOne ? listOfOne(document, value) : value);
  } catch (error) {
    throw new OptionError(`--set ${text}: ${(error as Error).message.split("\n")[0]}`);
  }
  return { path, text };
}

/** Where a study keeps a field that `data` names: `data.batch` is that of its first entry. */
function storedPath(path: Path): Path {
  const [first, ...rest] = path;
  if (first !== "data") return path;
  const [position, ...fields] = typeof rest[0] === "string" ? [0, ...rest] : rest;
  const own = fields[0] === "file" ? ["data", ...fields.slice(1)] : fields;
  return ["tasks", ...(position === undefined ? [] : [position]), ...own];
}

/** What is wrong, as one clause with the field's full name. */
function describe(
  issue: z.core.$ZodIssue,
  document: Document,
  written: (path: Path) => Path,
): { path: Path; complaint: string } {
  const path = pathInFile(document, issue.path as Path);
  if (issue.code === "unrecognized_keys") {
    const key = [...path, issue.keys[0]];
    const told = rightPlace(key) ?? familiarField(issue.keys[0], fieldsIn(issue.message)) ?? issue.message;
    return { path: key, complaint: `there is no field ${fieldName(written(key))}; ${told}` };
  }
  const value = valueAt(document, path);
  const field = fieldName(written(path));
  if (value === undefined) return { path, complaint: `${field} is missing: ${issue.message}` };
  const isStrategy = path[0] === "federation" && path[1] === "strategy" && typeof value === "string";
  const meant = isStrategy && issue.code === "invalid_union" ? familiarStrategy(value) : "";
  const complaint = `${field} is ${issue.message}, not ${JSON.stringify(value)}`;
  if (meant !== "") return { path, complaint: `${complaint}. ${meant}` };
  return {
    path,
    complaint: `${complaint}${path[0] === "federation" ? rangeAnswer(String(path[1]), value) : ""}`,
  };
}

function fieldName(path: Path): string {
  return path.length === 0 ? "a study" : path.join(".");
}

/** The path without positions in an axis that the file gives as one value, and without fields within a word. */
function pathInFile(document: Document, path: Path): Path {
  const kept: (string | number)[] = [];
  for (const part of path) {
    const around = kept.length === 0 ? document.contents : document.getIn(kept, true);
    if (isScalar(around) && around.value !== null) break;
    if (typeof part === "string" || isSeq(around)) kept.push(part);
  }
  return kept;
}

function valueAt(document: Document, path: Path): unknown {
  const found = path.length === 0 ? (document.contents ?? undefined) : document.getIn(path);
  return isCollection(found) ? found.toJS(document) : found;
}

/** The line of a field, or of the nearest one around it that the file has. */
function lineOf(document: Document<ParsedNode>, path: Path, lines: LineCounter): number {
  for (let depth = path.length; depth >= 0; depth--) {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
