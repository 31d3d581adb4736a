import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StudioServer, startStudio } from "../../src/studio/server/server.js";

const around = realpathSync(mkdtempSync(join(tmpdir(), "pde-dirichlet-files-")));
const folder = join(around, "open");
const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
mkdirSync(join(folder, "deep", "er", "and", "deeper"), { recursive: true });
mkdirSync(join(folder, ".hidden"));
for (const name of [
  "b.npz",
  "a10.h5",
  "a2.h5",
  "notes.txt",
  "deep/c.mat",
  "deep/er/and/deeper/x.npy",
  ".hidden/y.npy",
])
  writeFileSync(join(folder, name), bytes);
writeFileSync(join(around, "secret.h5"), "secret");
symlinkSync(join(around, "secret.h5"), join(folder, "link.h5"));
symlinkSync("a2.h5", join(folder, "within.h5"));

let server: StudioServer;
let bare: StudioServer;
beforeAll(async () => {
  server = await startStudio({ folder, opened: { kind: "file", path: "notes.txt" } });
  bare = await startStudio();
});
afterAll(async () => {
  await Promise.all([server.close(), bare.close()]);
  rmSync(around, { recursive: true, force: true });
});

const ask = (path: string, { origin, cookie }: StudioServer = server) =>
  fetch(`${origin}api/${path}`, { headers: { cookie } });

describe("files on the server", () => {
  it("are listed where they hold data, with the one that was opened, in the order of their names", async () => {
    const { files } = await (await ask("files")).json();
    expect(files.map(({ path }: { path: string }) => path)).toEqual([
      ...["a2.h5", "a10.h5", "b.npz", "deep/c.mat", "notes.txt", "within.h5"],
    ]);
    expect(files[0]).toEqual({ path: "a2.h5", size: 1000, modified: expect.any(Number) });
    const deep = await (await ask("files?path=deep/er/and/deeper/x.npy")).json();
    expect(deep.files.map(({ path }: { path: string }) => path)).toContain("deep/er/and/deeper/x.npy");
  });

  it("give their bytes by ranges", async () => {
    for (const [from, to] of [
      [0, 1000],
      [10, 20],
      [999, 1000],
      [5, 5],
    ]) {
      const answer = await ask(`bytes?path=deep/c.mat&from=${from}&to=${to}`);
      expect(answer.headers.get("content-type")).toBe("application/octet-stream");
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes.slice(from, to));
    }
  });

  it.each([
    "bytes?path=link.h5&from=0&to=1",
    "bytes?path=../secret.h5&from=0&to=1",
    `bytes?path=${join(around, "secret.h5")}&from=0&to=1`,
    "bytes?path=deep&from=0&to=1",
    "bytes?path=a2.h5&from=0&to=1001",
    "bytes?path=a2.h5&from=5&to=1",
    "bytes?path=a2.h5&from=-1&to=1",
    "bytes?path=a2.h5&from=0&to=99999999999",
    "bytes?path=a2.h5",
    "bytes?from=0&to=1",
    "files?path=link.h5",
    "files?path=deep",
    "files?path=missing.h5",
  ])("are refused outside of the folder, or of the file: %s", async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(400);
    const { error } = await answer.json();
    expect(error.replace(/^"[^"]*"/, "")).not.toContain(around); // what was asked for may be repeated
  });

  it("are not there where no folder is open", async () => {
    for (const path of ["files", "files?path=a2.h5"])
      expect(await (await ask(path, bare)).json()).toEqual({ files: [] });
    const answer = await ask("bytes?path=a2.h5&from=0&to=1", bare);
    expect([answer.status, (await answer.json()).error]).toEqual([
      400,
      "no folder is open: start the studio with a file or a folder",
    ]);
  });
});
