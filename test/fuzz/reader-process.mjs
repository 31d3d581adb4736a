// Reads damaged files in a process of its own, so that one that hangs or aborts can be told from the others.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { deflateSync, inflateRawSync } from "node:zlib";
import { inspectFile } from "../../dist/datasets/files/inspect-file.js";
import { openData } from "../../dist/datasets/files/open.js";
import { findCases } from "../../dist/datasets/import/cfdbench-cases.js";
import { UserError } from "../../dist/errors.js";
import { binModelOf } from "../../dist/exchange/bin-model.js";
import { readPartition } from "../../dist/exchange/foreign-partition.js";
import { parsePartition } from "../../dist/exchange/parse-partition.js";
import { readCost, readCounts } from "../../dist/exchange/statistics.js";
import { bytesInMemory, readAll } from "../../dist/files/byte-source.js";
import { openHdf5 } from "../../dist/files/hdf5.js";
import { openMat5 } from "../../dist/files/mat5.js";
import { openNetcdf3 } from "../../dist/files/netcdf3.js";
import { openNpy, writeNpy } from "../../dist/files/npy.js";
import { openNpz, writeNpz } from "../../dist/files/npz.js";
import { readSafetensors, writeSafetensors } from "../../dist/files/safetensors.js";
import { storedZip } from "../../dist/files/stored-zip.js";
import { openTorch } from "../../dist/files/torch.js";
import { openZip } from "../../dist/files/zip.js";
import { stream } from "../../dist/random/stream.js";
import { readCsv, readParquet, writeCsv, writeParquet } from "../../dist/records/seed-table.js";
import { readState } from "../../dist/studies/execution/state-file.js";
import { readSpecification } from "../../dist/studies/read-specification.js";
import { mutated } from "./mutate.mjs";

const [folder] = process.argv.slice(2);
const golden = (...names) => names.map((name) => readFileSync(new URL(`../golden/${name}`, import.meta.url)));
const text = (...texts) => texts.map((one) => new TextEncoder().encode(one));
const latin = (bytes) => new TextDecoder().decode(bytes);

const numbers = Float64Array.from({ length: 60 }, (_, i) => Math.sin(i));
const binModel = { centroids: { values: numbers.slice(0, 20), shape: [4, 5] }, mean: numbers.slice(0, 5) };
const bins = { ...binModel, scale: { values: numbers.slice(0, 1), shape: [] } };
const arrays = writeNpz({ ...bins, client_of_sample: Int32Array.of(0, 1, 1), sizes: Int32Array.of(1, 2) });
const row = {
  ...{ study: "s", task: "burgers", title: "Burgers", overrides: ["width"], alpha: 1 },
  settings: { viscosity: 0.1, clients: 10, optimizer: "adam", width: 8, tf32: true },
  ...{
    reference_alpha: 100,
    seed: 1,
    round: 5,
    d_sol: 0.5,
    input_w1: NaN,
    cv_n: 0.1,
    eps_part: 0.1,
    eps_quant: 0,
    n_min: 2,
    n_max: 9,
    h_q: 0,
    h_w: 0,
    ...{ d_sol_floor: 0.1, tv: 0.2, js: 0.3 },
  },
  ...{ h_g_norm: 1, d_theta: 2, test_error: 3, reference_error: 4, excess_error: 5, d_loc: 6 },
  ...{ client_error_mean: 3, client_error_worst: 4, client_error_spread: 1 },
  ...{ client_loss_mean: 3, client_loss_worst: 4, client_loss_spread: 1 },
  ...{ client_update_mean: 3, client_update_worst: 4, client_update_spread: 1 },
  ...{
    client_cosine_mean: 0.3,
    client_cosine_worst: -0.4,
    client_cosine_spread: 0.1,
    communication: 800,
    run_id: "r",
  },
};
const records = Array.from({ length: 20 }, (_, seed) => ({ ...row, seed }));
/** A table of the first layout, with columns for the settings that there were. */
const FIRST_TABLE =
  "study,task,viscosity,clients,optimizer,changed,alpha,reference_alpha,seed,round,d_sol,input_w1,cv_n,h_q,h_w," +
  "eps_part,eps_quant,h_g_norm,d_theta,test_error,reference_error,excess_error,d_loc,run_id\n" +
  "s,burgers,0.1,10,adam,width=8 repair=closest,1,100,1,5,0.5,,0.1,0,0,0.1,0,1,2,3,4,5,6,r\n";
const studies = ["quickstart", "paper", "controlled"].flatMap((name) => {
  try {
    return [readFileSync(new URL(`../../studies/${name}.yaml`, import.meta.url))];
  } catch {
    return [];
  }
});
/** `{0: range(0, 2, 1), 1: range(2, 4, 1)}` in protocol 2, with integers of four bytes. */
const integer = (value) => `J${String.fromCharCode(value)}\0\0\0`;
const range = (from, to) => `c__builtin__\nxrange\n${[from, to, 1].map(integer).join("")}\x87R`;
const ranges = Buffer.from(`\x80\x02}(K\x00${range(0, 2)}K\x01${range(2, 4)}u.`, "latin1");

/** Files on disk so far: the HDF5 library gives an earlier file's contents where one of the same name failed. */
let written = 0;

async function onDisk(bytes, ending, work) {
  const path = `${folder}/case-${process.pid}-${written++}${ending}`;
  writeFileSync(path, bytes);
  try {
    return await work(path);
  } finally {
    rmSync(path);
  }
}

async function readFields(path, names) {
  const data = await openData(path, names);
  try {
    await data.responses.read(0, data.responses.samples);
    await data.inputs?.read(0, data.inputs.samples);
  } finally {
    await data.close();
  }
}

/** Reads one after another; the first that fails is told. */
async function all(...reads) {
  const failures = [];
  for (const read of reads) {
    try {
      await read();
    } catch (error) {
      failures.push(error);
    }
  }
  const worst = failures.find((error) => !(error instanceof UserError)) ?? failures[0];
  if (worst) throw worst;
}

/** Reads all that a file of arrays lists, whole and every other place of each axis; values of a wrong count are a bug. */
async function readArrays({ list, array }) {
  const readable = (await list()).filter(({ problem }) => problem === undefined);
  await all(
    ...readable.map(({ name, shape, dtype }) => async () => {
      const opened = await array(name);
      if (String(opened.shape) !== String(shape) || opened.dtype !== dtype)
        throw new Error(`another array ${name}`);
      const box = shape.map((length) => ({ start: 0, length: Math.ceil(length / 2), step: 2 }));
      const count = (lengths) => lengths.reduce((product, length) => product * length, 1);
      const [values, half] = [await opened.read(0, opened.rows), await opened.readBox(box)];
      if (values.length !== count(shape)) throw new Error(`${values.length} values of ${shape}`);
      if (half.length !== count(box.map(({ length }) => length)))
        throw new Error(`a box of ${half.length} values`);
    }),
  );
}

/** Inspects a file, and reads all arrays that the inspection lists as samples. */
async function readInspected(path) {
  const { arrays } = await inspectFile(path);
  const readable = arrays.filter(({ shape, problem }) => problem === undefined && shape?.length > 0);
  await all(
    ...readable.map(({ name }) => async () => {
      const { responses, close } = await openData(path, { responses: name });
      try {
        const values = await responses.read(0, responses.samples);
        const count = responses.shape.reduce((product, length) => product * length, responses.samples);
        if (values.length !== count) throw new Error(`${values.length} values of ${count}`);
      } finally {
        await close();
      }
    }),
  );
}

/** The variables of an uncompressed MATLAB file, without its header. */
function* variables(bytes) {
  for (let at = 128; at < bytes.length; at += 8 + bytes.readUInt32LE(at + 4))
    yield bytes.subarray(at, at + 8 + bytes.readUInt32LE(at + 4));
}

/** A MATLAB file of one compressed variable, whatever its bytes are. */
function compressedMat5(variable) {
  const packed = deflateSync(variable);
  const tag = Buffer.from(Uint32Array.of(15, packed.length).buffer);
  return Buffer.concat([MATLAB.subarray(0, 128), tag, packed]);
}

const [MATLAB] = golden("arrays/v5-plain.mat");
const TENSORS = [...(await openZip(bytesInMemory(golden("arrays/tensors.pt")[0]))).values()];
const TENSOR_BYTES = await Promise.all(TENSORS.map(async (member) => readAll(await member.open())));
const TENSOR_MEMBERS = Object.fromEntries(TENSORS.map(({ name }, i) => [name, TENSOR_BYTES[i]]));

const JSON_TOKENS = [
  "1",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "null",
  "true",
  '"__proto__":',
  "\\ud800",
  " ",
  "0:",
  "[0]",
];

/** Whole files of every format, and what reads them. */
const FORMATS = {
  npy: {
    files: golden("files/float32-le.npy", "files/fortran.npy", "files/version-2.npy", "files/float16-be.npy"),
    read: (bytes) => onDisk(bytes, ".npy", (path) => readFields(path)),
  },
  npz: {
    files: [...golden("files/stored.npz", "files/deflated.npz", "files/zip64.npz"), arrays],
    read: async (bytes) => {
      const archive = await openNpz(bytesInMemory(bytes, "x.npz"));
      const arrays = archive.names.map((name) => async () => {
        const array = await archive.array(name);
        await array.read(0, array.rows);
      });
      await all(
        ...arrays,
        () => binModelOf(archive, "x.npz"),
        () => readState(bytesInMemory(bytes, "x.npz")),
      );
    },
  },
  zip: {
    files: [
      ...golden("files/deflated.npz", "files/zip64.npz"),
      writeNpz({ "bc/case0001/u": { values: new Float32Array(64), shape: [4, 4, 4] } }),
    ],
    read: (bytes) =>
      all(
        async () => {
          const inflate = (deflated, size) =>
            inflateRawSync(deflated, { maxOutputLength: Math.max(1, size) });
          for (const member of (await openZip(bytesInMemory(bytes, "x.zip"), { inflate })).values()) {
            await readAll(await member.open());
            await member.start(100);
          }
        },
        () => onDisk(bytes, ".zip", async (path) => (await findCases([path])).close()),
      ),
  },
  hdf5: {
    files: golden("files/fields.h5", "files/kinds.h5", "files/links.h5", "files/user-block.h5"),
    read: (bytes) =>
      onDisk(bytes, ".h5", async (path) => {
        const file = await openHdf5(path);
        try {
          const datasets = file.list().map((dataset) => async () => {
            const array = file.dataset(dataset.path);
            await array.read(0, array.rows);
          });
          await all(() => file.attributes(), ...datasets);
        } finally {
          file.close();
        }
      }),
  },
  layouts: {
    files: golden(
      ...["helmholtz.h5", "matlab.mat", "pdearena.h5", "pdebench-1d.hdf5", "pdebench-cfd.hdf5"]
        .concat(["pdebench-groups.h5", "pdebench-ns.h5", "pdegym.nc", "the-well.hdf5"])
        .map((name) => `layouts/${name}`),
      "own-data/ns-files-v73.mat",
    ),
    read: (bytes) => onDisk(bytes, ".h5", readInspected),
  },
  mat5: {
    files: golden(
      ...["plain", "compressed", "little-endian", "big-endian"].map((name) => `arrays/v5-${name}.mat`),
    ),
    bigEndian: true,
    read: async (bytes) => readArrays(await openMat5(bytesInMemory(bytes, "x.mat"))),
  },
  "mat5 variable": {
    files: [...variables(MATLAB)],
    read: async (bytes) => readArrays(await openMat5(bytesInMemory(compressedMat5(bytes), "x.mat"))),
  },
  torch: {
    files: golden(
      ...["tensors", "nested", "tuple", "bare-legacy", "nested-legacy", "no-checksum"].map(
        (name) => `arrays/${name}.pt`,
      ),
    ),
    read: async (bytes) => readArrays(await openTorch(bytesInMemory(bytes, "x.pt"))),
  },
  "torch pickle": {
    files: [TENSOR_MEMBERS["tensors/data.pkl"]],
    read: async (bytes) => {
      const archive = storedZip({ ...TENSOR_MEMBERS, "tensors/data.pkl": bytes });
      return readArrays(await openTorch(bytesInMemory(archive, "x.pt")));
    },
  },
  netcdf3: {
    files: golden(
      ...["classic-1", "classic-2", "classic-5", "one-record"].map((name) => `arrays/${name}.nc`),
    ),
    bigEndian: true,
    read: async (bytes) => readArrays(await openNetcdf3(bytesInMemory(bytes, "x.nc"))),
  },
  "strided npy": {
    files: golden("arrays/order-F.npy", "files/fortran.npy", "arrays/order-C.npy", "files/version-2.npy"),
    read: async (bytes) => {
      const array = await openNpy(bytesInMemory(bytes, "x.npy"));
      return readArrays({ list: () => [{ name: "", ...array }], array: async () => array });
    },
  },
  "npz objects": {
    files: golden("arrays/deepxde.npz"),
    read: async (bytes) => readArrays(await openNpz(bytesInMemory(bytes, "x.npz"))),
  },
  pickle: {
    files: golden("foreign/fedlab.pkl", "foreign/fl-bench.pkl", "foreign/niid-bench-tuple.pkl")
      .concat(golden("foreign/object-array.pkl", "files/protocol-0.pkl", "files/protocol-2.pkl"))
      .concat([ranges])
      .concat(golden("files/protocol-4.pkl", "files/protocol-5.pkl", "files/numpy-1.pkl")),
    read: (bytes) => readPartition(bytesInMemory(bytes, "x.pkl")),
  },
  table: {
    files: golden(
      "foreign/column.csv",
      "foreign/column.tsv",
      "foreign/column.txt",
      "foreign/shuffled.csv",
    ).concat(golden("foreign/counts-fedlab.csv", "foreign/counts-pandas.csv", "foreign/cost.csv")),
    tokens: [
      "1",
      ",",
      ";",
      "\t",
      "\n",
      "\r\n",
      '"',
      "client_id",
      "#",
      " ",
      "\0",
      "-",
      ".",
      "e",
      "\xef\xbb\xbf",
    ],
    read: (bytes) =>
      all(...[readPartition, readCounts, readCost].map((read) => () => read(bytesInMemory(bytes, "x.csv")))),
  },
  json: {
    files: golden("foreign/map.json", "foreign/lists.json", "foreign/counts.json"),
    tokens: JSON_TOKENS,
    read: (bytes) =>
      all(
        () => readPartition(bytesInMemory(bytes, "x.json")),
        () => readCounts(bytesInMemory(bytes, "x.json")),
      ),
  },
  partition: {
    files: [readFileSync(`${folder}/partition.json`)],
    tokens: JSON_TOKENS,
    read: async (bytes) => void parsePartition(latin(bytes), "x.json"),
  },
  braces: {
    files: golden("foreign/net_dataidx_map.txt", "foreign/distribution.txt"),
    tokens: JSON_TOKENS,
    read: (bytes) => readPartition(bytesInMemory(bytes, "x.txt")),
  },
  safetensors: {
    files: [
      writeSafetensors({
        tensors: {
          a: { shape: [2, 3], values: new Float32Array(6) },
          b: { shape: [1], values: Int32Array.of(7) },
        },
        metadata: { note: "text" },
      }),
    ],
    read: (bytes) => readSafetensors(bytesInMemory(bytes, "x.safetensors")),
  },
  parquet: {
    files: [writeParquet(records), writeParquet(records.slice(0, 1))],
    read: (bytes) => readParquet(bytesInMemory(bytes, "x.parquet")),
  },
  records: {
    files: text(writeCsv(records), FIRST_TABLE),
    tokens: [",", "\n", '"', "NaN", "\0", "study", "overrides", "settings", "__proto__", "="],
    read: async (bytes) => readCsv(latin(bytes), "x.csv"),
  },
  study: {
    files: [
      ...studies,
      ...text(
        "name: a\ntasks: [{task: burgers, viscosity: 0.1}]\nseeds: &s [1, 2]\nalphas: *s\n",
        "name: b\ndata: {file: x.npz, test: 1:3, axes: [x, t]}\nmodel: {name: fno, width: [8, 16]}\n",
        "name: c\ndata: [x.h5, burgers]\nfederation: {local_steps: [1, 2]}\npartition: {bins: [2, 3]}\n",
      ),
    ],
    tokens: [
      "&a ",
      "*a",
      "*a, ",
      "[",
      "]",
      "{",
      "}",
      ": ",
      "- ",
      "\n",
      "  ",
      "!!binary ",
      "!!set ",
      "<<: *s",
      "%",
      "|",
    ].concat(["---\n", "? ", '"', "'", "#", "\t", "null", "[[[["]),
    read: async (bytes) => readSpecification(latin(bytes), "x.yaml"),
  },
  data: {
    files: [writeNpy(numbers, [12, 5]), arrays, ...golden("files/fields.h5", "files/stored.npz")],
    read: (bytes) => onDisk(bytes, "", (path) => readFields(path, {})),
  },
};

process.on("message", async ({ format, index }) => {
  const { files, tokens, bigEndian, read } = FORMATS[format];
  const random = stream(1, "fuzz", format, index);
  const bytes = mutated(files[index % files.length], random, { tokens, others: files, bigEndian });
  const { user, system } = process.cpuUsage();
  let failure;
  try {
    await read(bytes);
  } catch (error) {
    if (!(error instanceof UserError)) failure = error?.stack ?? String(error);
  }
  const used = process.cpuUsage();
  await new Promise((resolve) => setImmediate(resolve)); // a promise that nobody waits for fails before the next case
  const seconds = (used.user + used.system - user - system) / 1e6;
  process.send({ failure, seconds, megabytes: process.resourceUsage().maxRSS / 1024 });
});
process.send({ formats: Object.keys(FORMATS) });
