import fc from "fast-check";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { bytesInMemory, readAll } from "../../src/files/byte-source.js";
import { crc32 } from "../../src/files/crc32.js";
import { storedZip } from "../../src/files/stored-zip.js";
import { openZip } from "../../src/files/zip.js";

const utf8 = (text: string) => new TextEncoder().encode(text);

describe("a checksum", () => {
  it("is that of ISO 3309", () => {
    expect(crc32(utf8("123456789"))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array(0))).toBe(0);
  });

  it("is the same, however many bytes are taken at a time", () => {
    const bitwise = (bytes: Uint8Array) => {
      let crc = 0xffffffff;
      for (const byte of bytes) {
        crc ^= byte;
        for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
      }
      return ~crc >>> 0;
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(crc32(bytes)).toBe(bitwise(bytes));
      }),
    );
  });
});

describe("a stored archive", () => {
  const members = fc.dictionary(
    fc.string({ unit: "grapheme", minLength: 1 }).filter((name) => name !== "__proto__"),
    fc.uint8Array({ maxLength: 50 }),
  );

  it("is read by others and by us as it was written", async () => {
    await fc.assert(
      fc.asyncProperty(members, async (written) => {
        const archive = storedZip(written);
        expect(unzipSync(archive)).toEqual({ ...written });
        const opened = await openZip(bytesInMemory(archive));
        expect([...opened.keys()]).toEqual(Object.keys(written));
        for (const [name, member] of opened) {
          const bytes = await readAll(await member.open());
          expect([...bytes]).toEqual([...written[name]]);
        }
      }),
    );
  });

  it("is refused where 32 bits cannot say how long it is", () => {
    const long = { length: 2 ** 32 } as Uint8Array;
    expect(() => storedZip({ long })).toThrow("too many for a ZIP archive");
  });
});
