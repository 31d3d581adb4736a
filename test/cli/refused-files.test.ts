import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeNpz } from "../../src/index.js";
import { workFolder } from "./command.js";
import { matFile } from "./mat-file.js";

/** Every kind of file that cannot be used, given to every command that reads data. */
const { folder, path, run } = workFolder();
const ARRAYS = join(import.meta.dirname, "../golden/arrays");

const numbers = (seed: number, ...shape: number[]) => ({
  shape,
  values: Float64Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => Math.sin(seed + 0.7 * i)),
});
const broken = (seed: number, ...shape: number[]) => {
  const { values } = numbers(seed, ...shape);
  values[Math.floor(values.length / 2)] = Number.NaN; // in the middle: sample 20
  return { shape, values };
};

beforeAll(() => {
  const [a, u] = [numbers(0, 40, 8, 8), numbers(1, 40, 8, 8)];
  writeFileSync(
    path("channels.npz"),
    writeNpz({ x: numbers(0, 40, 9, 10, 11), y: numbers(1, 40, 9, 10, 11) }),
  );
  writeFileSync(path("samples.mat"), matFile({ a: numbers(0, 8, 8, 40), u: numbers(1, 8, 8, 40) }));
  writeFileSync(path("mismatched.npz"), writeNpz({ a: numbers(0, 39, 8, 8), u }));
  writeFileSync(path("nan-a.npz"), writeNpz({ a: broken(0, 40, 8, 8), u }));
  writeFileSync(path("nan-u.npz"), writeNpz({ a, u: broken(1, 40, 8, 8) }));
  writeFileSync(path("slice.npz"), writeNpz({ a, u }));
  for (const name of ["filters.h5", "code.pt"]) cpSync(join(ARRAYS, name), path(name));
  const whole = matFile({ a, u }, { isCompressed: true });
  writeFileSync(path("truncated.mat"), whole.subarray(0, whole.length - 20));
  writeFileSync(
    path("damaged.mat"),
    whole.map((byte, i) => (i === whole.length - 5000 ? byte ^ 85 : byte)),
  );
});

/** A file, the arrays that are asked for, what the refusal says, and the commands that have a use for it nevertheless. */
interface Refused {
  readonly file: string;
  readonly choice?: Readonly<Record<string, string>>;
  readonly message: RegExp;
  readonly usable?: readonly string[];
  /** What `inspect` says in place of the refusal. */
  readonly listed?: RegExp;
}

const COMMANDS: Readonly<Record<string, (file: string, flags: readonly string[]) => readonly string[]>> = {
  inspect: (file, flags) => ["inspect", file, ...flags],
  show: (file, flags) => ["show", file, ...flags, "--out", "s.png"],
  partition: (file, flags) => [
    ...["partition", file, ...flags, "--alpha", "1", "--clients", "2", "--min-size", "4", "--bins", "3"],
    ...["--out", "p.json"],
  ],
  train: (file, flags) => [
    ...["train", file, ...flags, "--alpha", "1", "--clients", "2", "--min-size", "4", "--bins", "3"],
    ...["--rounds", "1", "--out", "runs-of-train"],
  ],
  convert: (file, flags) => ["convert", file, ...flags, "--out", "deep/c.h5"],
  study: () => ["study", "s.yaml", "--out", "deep/study", "--jobs", "1"],
};

const FILES: readonly Refused[] = [
  {
    file: "channels.npz",
    message: /which axis of channels\.npz holds channels\?/,
    usable: ["inspect", "show", "partition"],
  },
  {
    file: "samples.mat",
    message: /say which axis counts samples, --sample-axis first for 8 samples/,
    usable: ["inspect"],
  },
  { file: "mismatched.npz", message: /mismatched\.npz has 40 responses but 39 inputs/, usable: ["inspect"] },
  // A picture of another sample is no mistake.
  { file: "nan-a.npz", message: /inputs .*nan-a\.npz .*NaN in sample 20/, usable: ["inspect", "show"] },
  { file: "nan-u.npz", message: /responses .*nan-u\.npz .*NaN in sample 20/, usable: ["inspect", "show"] },
  {
    file: "filters.h5",
    choice: { inputs: "blosc", responses: "zstd" },
    message: /is compressed by .*zstd.*, which cannot be read here/,
    usable: ["inspect"],
  },
  { file: "code.pt", message: /code\.pt names __builtin__\.print, which is not run here/ },
  {
    file: "slice.npz",
    choice: { inputs: "a", responses: "u[:, 99]" },
    message: /99 is beyond axis 1, which has 8 places/,
  },
  {
    file: "truncated.mat",
    message: /(truncated\.mat:u|not read:) is truncated: an element at byte \d+ has/,
    usable: ["inspect"],
  },
  // Its header tells nothing.
  {
    file: "damaged.mat",
    message: /damaged\.mat:u: damaged compressed data/,
    usable: ["inspect"],
    listed: /u +40 x 8 x 8/,
  },
];

const kept = () =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => !/^(home|cache)/.test(name))
    .sort();

describe.each(FILES)("$file", ({ file, choice = {}, message, usable = [], listed = message }) => {
  it.each(Object.keys(COMMANDS).filter((command) => !usable.includes(command)))(
    "is refused by %s in one line, with nothing left behind",
    async (command) => {
      const fields = Object.entries(choice).map(([name, value]) => `${name}: "${value}"`);
      writeFileSync(
        path("s.yaml"),
        `name: s\ndata: { ${[`file: ${file}`, ...fields].join(", ")} }\nalphas: [100]\nseeds: [0]\n` +
          "federation: { clients: 2, rounds: 1 }\npartition: { bins: 3, min_size: 4 }\n",
      );
      const before = kept();
      const flags = Object.entries(choice).flatMap(([name, value]) => [`--${name}`, value]);
      const { status, stdout, stderr } = await run(...COMMANDS[command](file, flags), "--quiet");
      expect([status, stdout]).toEqual([1, ""]);
      const lines = stderr.trimEnd().split("\n");
      expect(lines).toEqual([expect.stringMatching(message)]);
      expect(lines[0]).toMatch(/^pde-dirichlet: /);
      expect(kept()).toEqual(before);
    },
  );

  it("is listed by inspect where that is of use", async () => {
    if (!usable.includes("inspect")) return;
    const before = kept();
    const { status, stdout } = await run("inspect", file);
    expect(status).toBe(0);
    if (!usable.includes("show")) expect(stdout).toMatch(listed);
    expect(kept()).toEqual(before);
  });
});

describe("a study of several files", () => {
  it("goes on with the others, and records why runs on one of them were refused", async () => {
    writeFileSync(
      path("several.yaml"),
      "name: several\ntasks: [{ data: slice.npz, name: good }, { data: nan-u.npz, name: bad }]\nalphas: [100]\nseeds: [0]\n" +
        "model: { name: fno, width: 2, modes: 2 }\nfederation: { clients: 2, rounds: 1, local_steps: 1, batch: 4 }\n" +
        "partition: { bins: 3, min_size: 4 }\n",
    );
    const { status, stderr } = await run(
      "study",
      "several.yaml",
      "--out",
      "several",
      "--jobs",
      "1",
      "--quiet",
    );
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining("1 of 2 runs failed, the first: the training"),
    ]);
    const left = readdirSync(path("several/runs")).sort();
    expect(left.map((run) => run.split("-")[0])).toEqual(["bad", "good"]);
    const [bad, good] = left.map((run) => readdirSync(path(`several/runs/${run}`)));
    expect([bad, good.includes("run.json")]).toEqual([["failure.json"], true]);
  });
});

/** A file system of so many kilobytes; undefined where none can be mounted. */
function smallDisk(kilobytes: number): string | undefined {
  mkdirSync(path("disk"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", path("disk")], {
      stdio: "ignore",
    });
    return path("disk");
  } catch {
    rmSync(path("disk"), { recursive: true });
    return undefined;
  }
}

describe("a full disk", () => {
  let disk: string | undefined;
  beforeAll(() => {
    disk = smallDisk(8);
  });
  afterAll(() => {
    if (disk) execFileSync("umount", [disk]);
  });

  it.for(Object.keys(COMMANDS).filter((command) => command !== "inspect"))(
    "ends %s with one line and nothing left behind",
    async (command, { skip }) => {
      if (disk === undefined) return skip("no file system can be mounted here");
      const flags = ["--inputs", "a", "--responses", "u"];
      writeFileSync(
        path("s.yaml"),
        "name: s\ndata: { file: slice.npz, inputs: a, responses: u }\nalphas: [100]\nseeds: [0]\n" +
          "federation: { clients: 2, rounds: 1 }\npartition: { bins: 3, min_size: 4 }\n",
      );
      const words = COMMANDS[command]("slice.npz", flags);
      const at = words.indexOf("--out") + 1;
      const elsewhere = words.map((word, i) => (i === at ? join(disk!, word) : word));
      const { status, stderr } = await run(...elsewhere, "--quiet");
      expect([command, status]).toEqual([command, 1]);
      expect(stderr.trimEnd().split("\n")).toEqual([expect.stringContaining("the disk is full")]);
      // A run or a study that was begun is there to be resumed.
      if (command !== "train" && command !== "study") expect(readdirSync(disk)).toEqual([]);
      for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true });
    },
  );
});
