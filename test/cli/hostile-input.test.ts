import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { zipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { crc32 } from "../../src/files/crc32.js";
import { writeNpy } from "../../src/index.js";
import { workFolder } from "./command.js";
import { runMeasured } from "./measured-command.js";

const { folder, path, run } = workFolder();
const GOLDEN = join(import.meta.dirname, "../golden/files");

/** A pickle of protocol 2: a dict of client and range, of so many clients. */
function rangesPickle(clients: number, length: number): Buffer {
  const integer = (value: number) => {
    const bytes = Buffer.alloc(5, "J");
    bytes.writeInt32LE(value, 1);
    return bytes;
  };
  const range = [Buffer.from("c__builtin__\nxrange\n"), integer(0), integer(length), integer(1), "\x87R"];
  const entries = Array.from({ length: clients }, (_, client) => [integer(client), ...range]).flat();
  const parts = ["\x80\x02}(", ...entries, "u."];
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
}

/** The partition that was made, with other numbers of clients or bins. */
function changedPartition(options: Readonly<Record<string, number>>): string {
  const partition = JSON.parse(readFileSync(path("good.json"), "utf8"));
  Object.assign(partition.options, options);
  return JSON.stringify(partition);
}

/** `d` nine times `c`, `c` nine times `b`, ... */
const aliasBomb = `a: &a [${"x, ".repeat(8)}x]\n${[..."bcdefghi"]
  .map((name, i) => `${name}: &${name} [${`*${"abcdefghi"[i]}, `.repeat(8)}*${"abcdefghi"[i]}]`)
  .join("\n")}\n`;

beforeAll(async () => {
  const values = Float64Array.from({ length: 240 }, (_, i) => Math.sin(i * 12.9898) * 43.7);
  writeFileSync(path("good.npy"), writeNpy(values, [60, 4]));
  const made = await run("partition", "good.npy", "--alpha", "1", "--clients", "2", "--out", "good.json");
  expect(made.status).toBe(0);

  writeFileSync(path("bins.json"), changedPartition({ bins: 2 ** 31 }));
  writeFileSync(path("clients.json"), changedPartition({ clients: 2 ** 31 }));
  writeFileSync(path("ranges.pkl"), rangesPickle(40, 99_999_999));
  writeFileSync(path("range.pkl"), rangesPickle(1, 99_999_999));
  const long = Buffer.alloc(1 << 20, 0x7f);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(long.length);
  writeFileSync(
    path("long.pkl"),
    Buffer.concat([Buffer.from([0x80, 2, 0x8b]), length, long, Buffer.from(".")]),
  );
  writeFileSync(path("digits.csv"), `client_id\n${"1".repeat(200_000)}x\n${"2".repeat(200_000)}y\n`);
  writeFileSync(path("digits-only.csv"), `${"1".repeat(200_000)}x\n${"2".repeat(200_000)}y\n`);
  writeFileSync(path("braces.txt"), `{0: [${"1".repeat(200_000)}x`);
  writeFileSync(
    path("rows.npz"),
    zipSync({ "sizes.npy": emptyRows(), "client.npy": writeNpy(Int32Array.of(0, 1)) }),
  );
  writeFileSync(path("header.npy"), hostileHeader());
  const zeros = writeNpy(new Float32Array(70_000 * 64 * 16), [70_000, 64, 16]);
  const flow = {
    "bc/case0001/case.json": Buffer.from("{}"),
    "bc/case0001/u.npy": zeros,
    "bc/case0001/v.npy": zeros,
  };
  writeFileSync(path("bomb.zip"), deflatedZip(flow));
  writeFileSync(path("bomb.npz"), deflatedZip({ "responses.npy": zeros }));
  const study = (tasks: string) => `name: bad\n${tasks}`;
  writeFileSync(path("bomb.yaml"), study(`tasks: [{task: antiderivative}]\n${aliasBomb}`));
  writeFileSync(path("self.yaml"), study("tasks: &a [*a]\n"));
  writeFileSync(path("missing.yaml"), study("tasks: *nowhere\n"));
  writeFileSync(path("deep.yaml"), study(`tasks: ${"[".repeat(20_000)}\n`));
  writeFileSync(path("wide.yaml"), study("tasks: [{task: antiderivative, model: {width: 1000000}}]\n"));
  writeFileSync(path("escape.csv"), "\x1b]0;owned\x07\x1b[31mred,\u202eb\n1,2\n");
  writeFileSync(
    path("columns.csv"),
    `${Array.from({ length: 100_000 }, (_, i) => `column${i}`).join(",")}\n`,
  );
}, 60_000);

/** A deflated archive, made by zlib: it takes a second for what would take fflate half a minute. */
function deflatedZip(members: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const known = new Map<Uint8Array, Buffer>();
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, bytes] of Object.entries(members)) {
    const deflated = known.get(bytes) ?? deflateRawSync(bytes);
    known.set(bytes, deflated);
    const about = Buffer.alloc(26); // version, flags, method, time, date, checksum, sizes, lengths of name and extra
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(8, 4);
    about.writeUInt32LE(crc32(bytes), 10);
    about.writeUInt32LE(deflated.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(name.length, 22);
    bodies.push(Buffer.from("PK\x03\x04"), about, Buffer.from(name), deflated);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00"), about, place, Buffer.from(name));
    offset += 30 + name.length + deflated.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(Object.keys(members).length, 8);
  end.writeUInt16LE(Object.keys(members).length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, listed, end]);
}

/** An NPY file without any byte of data that claims four thousand million rows. */
function emptyRows(): Uint8Array {
  const bytes = Buffer.from(writeNpy(new Int32Array(0), [0]));
  const start = bytes.indexOf("(0,)");
  bytes.write("(4000000000, 0)", start);
  bytes.write(", }  ", start + 15);
  return bytes;
}

/** A megabyte of unfinished types, each of which a pattern would look for the end of. */
function hostileHeader(): Uint8Array {
  const text = `{'fortran_order': False, 'shape': (1,), ${"'descr':[".repeat(120_000)}`;
  const start = Buffer.from([0x93, ...Buffer.from("NUMPY"), 2, 0, 0, 0, 0, 0]);
  start.writeUInt32LE(text.length, 8);
  return Buffer.concat([start, Buffer.from(text)]);
}

const diagnose = (partition: string, ...rest: string[]) => [
  "diagnose",
  "good.npy",
  "--partition",
  partition,
  ...rest,
];
const exported = (partition: string) => ["export", partition, "--format", "csv", "--out", "x.csv"];
const partitioned = (data: string, ...rest: string[]) => [
  ...["partition", data, "--alpha", "1", "--clients", "2", "--out", "x.json"],
  ...rest,
];

describe("a small hostile file is refused in one line, within two seconds and a gigabyte", () => {
  it.each([
    [
      "a partition of 2^31 bins",
      exported("bins.json"),
      /speaks of 2 clients and 2147483648 bins, but its counts/,
    ],
    ["a partition of 2^31 clients", exported("clients.json"), /speaks of 2147483648 clients and 10 bins/],
    ["a pickle of forty ranges", diagnose("ranges.pkl"), /ranges\.pkl holds too much .* 99999999 numbers/],
    ["a pickle of one range of 10^8", diagnose("range.pkl"), /range\.pkl holds too much .* 99999999 numbers/],
    ["a pickled integer of a megabyte", diagnose("long.pkl"), /long\.pkl .* an integer of 1048576 bytes/],
    ["cells of many digits", diagnose("digits.csv"), /digits\.csv names the client of 2 samples/],
    ["a table without header of many digits", diagnose("digits-only.csv"), /digits-only\.csv/],
    ["braces around many digits", diagnose("braces.txt"), /braces\.txt is not valid JSON/],
    ["an archive of an empty array of many rows", diagnose("rows.npz"), /2 samples, but the dataset has 60/],
    ["an NPY header of a megabyte", partitioned("header.npy"), /header of \d+ bytes is too long/],
    [
      "an HDF5 file of 6.7 GB that were never written",
      partitioned(join(GOLDEN, "links.h5"), "--responses", "unwritten"),
      /unwritten claims 6711 MB in a file of 12 kB: most of it was never written/,
    ],
    [
      "a zip bomb of CFDBench",
      ["import", "cfdbench-cylinder", "bomb.zip", "--train", "1", "--test", "0", "--out", "x.h5"],
      /u\.npy grows from \d+ to \d+ bytes/,
    ],
    ["a zip bomb of NumPy", partitioned("bomb.npz"), /responses\.npy grows from \d+ to \d+ bytes/],
    ["a study of folded aliases", ["study", "bomb.yaml", "--out", "s"], /bomb\.yaml.*[Aa]lias/],
    ["a study that holds itself", ["study", "self.yaml", "--out", "s"], /self\.yaml/],
    ["a study with an alias of nothing", ["study", "missing.yaml", "--out", "s"], /missing\.yaml.*alias/],
    ["a study of many brackets", ["study", "deep.yaml", "--out", "s"], /deep\.yaml/],
    [
      "a model of width 10^6",
      ["train", "antiderivative", "--alpha", "1", "--model", "width=1000000"],
      /a model of 2\.00e\+12 parameters for 10 clients is too large/,
    ],
    [
      "a model of depth 10^9",
      ["train", "antiderivative", "--alpha", "1", "--model", "depth=1000000000"],
      /the model's depth is a whole number from 1 to 1000, not 1000000000/,
    ],
    ["a study of such models", ["study", "wide.yaml", "--out", "s"], /wide\.yaml:2: .* too large/],
    [
      "a table of many columns",
      diagnose("columns.csv"),
      /which column is the client\?.*name one by --column$/,
    ],
  ])("%s", async (_, args, message) => {
    const { status, stdout, stderr, seconds, megabytes } = await runMeasured(folder, ...args, "--quiet");
    expect(stderr).toMatch(/^pde-dirichlet: [^\n]{1,500}\n$/);
    expect(stderr.trimEnd()).toMatch(message);
    expect(stderr).not.toContain("unexpected");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(seconds).toBeLessThan(2);
    expect(megabytes).toBeLessThan(1000);
  });
});

describe("what a file calls its parts", () => {
  it("is shown with control characters escaped", async () => {
    const { stderr } = await run(...diagnose("escape.csv"));
    expect(stderr).toContain("it has \\x1b]0;owned\\x07\\x1b[31mred, \\u202eb: name one");
    const debug = await run(...diagnose("escape.csv"), "--debug");
    expect(debug.stderr).toContain("\\x1b]0;owned\\x07");
    expect(debug.stderr).not.toContain("\x1b");
    const option = await run("partition", "good.npy", "--alpha", "\x1b[31m1");
    expect(option.stderr).toContain("\\x1b[31m1");
  });
});
