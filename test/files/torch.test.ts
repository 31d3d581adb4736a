import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/errors.js";
import { bytesInMemory, readAll } from "../../src/files/byte-source.js";
import { storedZip } from "../../src/files/stored-zip.js";
import { isLegacyTorch, isTorch, openTorch } from "../../src/files/torch.js";
import { openZip } from "../../src/files/zip.js";
import { expectAsRead, fileIn, filesOf, GOLDEN } from "./foreign-arrays.js";

/** The members of a golden file. */
async function membersOf(name: string): Promise<Record<string, Uint8Array>> {
  const zip = await openZip(fileIn(GOLDEN, name));
  const members = [...zip.values()].map(async (member) => [member.name, await readAll(await member.open())]);
  return Object.fromEntries(await Promise.all(members));
}

/** A file whose pickle is this text, with one storage of 16 bytes. */
const withPickle = (pickle: string) =>
  bytesInMemory(
    storedZip({ "x/data.pkl": Buffer.from(pickle, "latin1"), "x/data/0": new Uint8Array(16) }),
    "x.pt",
  );
const number = (value: number) => `J${String.fromCharCode(...new Uint8Array(Int32Array.of(value).buffer))}`;
const tuple = (values: readonly number[]) => `(${values.map(number).join("")}t`;
/** A tensor of the first storage, of four float32. */
const tensor = (offset: number, shape: readonly number[], strides: readonly number[], count = 4, key = "0") =>
  `ctorch._utils\n_rebuild_tensor_v2\n((Vstorage\nctorch\nFloatStorage\nV${key}\nVcpu\n${number(count)}tQ` +
  `${number(offset)}${tuple(shape)}${tuple(strides)}\x89ccollections\nOrderedDict\n)RtR`;

describe("PyTorch files", () => {
  const files = filesOf(GOLDEN, /\.pt$/);

  it("have golden files of the zip format and the legacy one", () => {
    expect(files).toHaveLength(9);
  });

  it.each(files)("%s is read as PyTorch reads it", (name) => expectAsRead(GOLDEN, name, openTorch));

  it("are read where their byte order is the other one", async () => {
    const members = await membersOf("bare.pt");
    members["bare/data/0"] = members["bare/data/0"].slice();
    for (let at = 0; at < members["bare/data/0"].length; at += 4)
      members["bare/data/0"].subarray(at, at + 4).reverse();
    members["bare/byteorder"] = Buffer.from("big");
    const big = await openTorch(bytesInMemory(storedZip(members)));
    const little = await openTorch(fileIn(GOLDEN, "bare.pt"));
    expect(await (await big.array("")).read(0, 5)).toEqual(await (await little.array("")).read(0, 5));
  });

  it("name numbers and text beside their tensors", async () => {
    const { attributes } = await openTorch(fileIn(GOLDEN, "nested.pt"));
    expect(attributes).toEqual({ visc: 0.001, note: "text", size: [2, 3] });
  });

  it("are told from other archives by their members, and in the legacy format by their first bytes", async () => {
    expect(isTorch(["archive/data.pkl", "archive/data/0"])).toBe(true);
    expect(isTorch(["u.npy", "data.pkl.npy"])).toBe(false);
    expect(isLegacyTorch(readFileSync(join(GOLDEN, "bare-legacy.pt")))).toBe(true);
    expect(isLegacyTorch(readFileSync(join(GOLDEN, "bare.pt")))).toBe(false);
  });

  it.each([
    ["code.pt", /code\.pt names (__builtin__|builtins)\.print, which is not run here: only tensors/],
    ["dataset.pt", /dataset\.pt names torch\.utils\.data\.dataset\.TensorDataset, which is not run here/],
  ])("are refused by the name of what they would run: %s", async (name, message) => {
    await expect(openTorch(fileIn(GOLDEN, name))).rejects.toThrow(message);
    await expect(openTorch(fileIn(GOLDEN, name))).rejects.toThrow(FormatError);
  });

  it.each([
    ["cposix\nsystem\n(Vid\ntR.", "posix.system"],
    ["\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02id\x85R.", "os.system"],
    ["(ios\nsystem\n.", "os.system"],
    ["(cos\nsystem\nVid\no.", "os.system"],
    ["cos\nsystem\n)\x81.", "os.system"],
    ["}Vx\ncbuiltins\neval\ns.", "builtins.eval"],
    ["ctorch.hub\nload\n.", "torch.hub.load"],
    ["ctorch\nload\n.", "torch.load"],
  ])("name no function that is called by any opcode: %j", async (pickle, named) => {
    await expect(openTorch(withPickle(pickle))).rejects.toThrow(`x.pt names ${named}, which is not run here`);
  });

  it("list what is complex or computed when read with the reason", async () => {
    const { list, array } = await openTorch(fileIn(GOLDEN, "negated.pt"));
    expect(list()).toContainEqual({ name: "x", shape: [2, 3], dtype: "float32" });
    expect(list()).toContainEqual({
      name: "n",
      problem: "is negated when it is read: save it with .clone()",
    });
    await expect(array("n")).rejects.toThrow("negated.pt:n is negated when");
    await expect(array("y")).rejects.toThrow('negated.pt has no array "y"; it has x (2 x 3), n');
  });

  it("honour views into a storage, and refuse those that leave it", async () => {
    const open = async (pickle: string) => (await openTorch(withPickle(`${pickle}.`))).array("");
    expect((await open(tensor(1, [2], [2]))).shape).toEqual([2]);
    await expect(open(tensor(2, [2], [2]))).rejects.toThrow(
      /x\.pt is truncated: 2 float32 needs 20 bytes, it has 16/,
    );
    await expect(open(tensor(0, [4], [1], 3))).rejects.toThrow(
      /x\.pt is truncated: 4 float32 needs 16 bytes/,
    );
    await expect(open(tensor(0, [5], [1], 5))).rejects.toThrow(/its storage has 16 of 20 bytes/);
    await expect(open(tensor(0, [4], [1], 4, "1"))).rejects.toThrow(/x\.pt is damaged: storage 1 is missing/);
    await expect(open(tensor(0, [2 ** 30, 4], [0, 1]))).rejects.toThrow(/claims 17180 MB in 1 kB/);
    for (const pickle of [
      tensor(-1, [2], [1]),
      tensor(0, [-2], [1]),
      tensor(0, [2], [-1]),
      tensor(0, [2], [1, 1]),
    ])
      await expect(open(pickle)).rejects.toThrow(
        /x\.pt is damaged: a tensor without storage, shape or strides/,
      );
  });

  it("are refused where lists hold themselves or each other without end", async () => {
    await expect(openTorch(withPickle("]q\0h\0a."))).rejects.toThrow(/too many objects within each other/);
    const doubling = `${"]q\0".concat(...Array.from({ length: 40 }, (_, i) => `0](h${String.fromCharCode(i)}h${String.fromCharCode(i)}eq${String.fromCharCode(i + 1)}`))}.`;
    await expect(openTorch(withPickle(doubling))).rejects.toThrow(/too many objects within each other/);
  });

  it("are refused where they are cut, in either format", async () => {
    for (const name of ["nested.pt", "nested-legacy.pt"]) {
      const bytes = readFileSync(join(GOLDEN, name));
      for (let length = 0; length < bytes.length; length += 97)
        await expect(openTorch(bytesInMemory(bytes.subarray(0, length), name))).rejects.toThrow(FormatError);
    }
  });

  it("are refused where a storage is damaged", async () => {
    const bytes = Buffer.from(readFileSync(join(GOLDEN, "bare.pt")));
    const zip = await openZip(bytesInMemory(bytes));
    const content = Buffer.from(await readAll(await zip.get("bare/data/0")!.open()));
    bytes[bytes.indexOf(content) + 5] ^= 1;
    const file = await openTorch(bytesInMemory(bytes, "x.pt"));
    await expect(file.array("")).rejects.toThrow("x.pt:bare/data/0 is damaged: its checksum is wrong");
  });
});
