import { describe, expect, it } from "vitest";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { writeNpz } from "../../src/files/npz.js";
import { type ResumeState, readState, writeState } from "../../src/studies/execution/state-file.js";

const state: ResumeState = {
  trainer: {
    round: 7,
    server: { parameters: Float32Array.of(1, 2), first: Float32Array.of(3, 4) },
    clients: { first: Float32Array.of(5, 6, 7, 8), control: Float32Array.of(9, 10, 11, 12) },
  },
  checkpoints: { rounds: [0, 5], parameters: [Float32Array.of(0, 1), Float32Array.of(2, 3)] },
  seconds: 1.5,
  journal: "0a1b",
};

describe("a state file", () => {
  it("keeps the vectors of server and clients, whatever their names", async () => {
    expect(await readState(bytesInMemory(writeState(state), "state.npz"))).toEqual(state);
  });

  it("keeps a state of clients that remember nothing", async () => {
    const { trainer } = state;
    const forgetful = { ...state, trainer: { ...trainer, clients: {} } };
    expect(await readState(bytesInMemory(writeState(forgetful), "state.npz"))).toEqual(forgetful);
  });

  it("keeps the vectors of those clients alone that have taken part, and what the others start from", async () => {
    const partial = { present: Int32Array.of(3, 900), starts: { parameters: Float32Array.of(13, 14) } };
    const some = { ...state, trainer: { ...state.trainer, partial } };
    expect(await readState(bytesInMemory(writeState(some), "state.npz"))).toEqual(some);
    const nobody = {
      ...state,
      trainer: {
        ...state.trainer,
        clients: { first: new Float32Array(0) },
        partial: { present: new Int32Array(0), starts: {} },
      },
    };
    expect(await readState(bytesInMemory(writeState(nobody), "state.npz"))).toEqual(nobody);
  });

  it("of the earlier layout, without names, is refused", async () => {
    const scalar = { values: Float64Array.of(7), shape: [] };
    const bytes = writeNpz({
      "trainer.round": scalar,
      "trainer.parameters": Float32Array.of(1, 2),
      "trainer.clientState": Float32Array.of(1, 2),
      seconds: scalar,
      journal_sha256: Uint8Array.of(1),
    });
    await expect(readState(bytesInMemory(bytes, "state.npz"))).rejects.toThrow(
      "state.npz is of an earlier layout",
    );
  });
});
