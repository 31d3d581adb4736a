import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { UserError } from "../../errors.js";
import { TrackerDown } from "../tracker.js";
import { type MlflowClient, MlflowError } from "./client.js";
import type { MlflowRun } from "./runs.js";

/** Addresses of files that the server takes itself; others are of stores that it leaves to its Python clients. */
const PROXIED = /^mlflow-artifacts:(?:\/\/[^/]*)?\/(.*)$/;

/**
 * Keeps a file with a run. False if the server takes no files: it runs without its artefact proxy, or the run's files lie in
 * a store of their own.
 */
export async function putArtifact(
  client: MlflowClient,
  { artifacts }: Pick<MlflowRun, "artifacts">,
  file: string,
): Promise<boolean> {
  const [, folder] = PROXIED.exec(artifacts) ?? [];
  if (folder === undefined) return false;
  const bytes = await readFile(file).catch(() => undefined); // left behind, or deleted to save room
  if (bytes === undefined) return true;
  const path = [...folder.split("/"), basename(file)].map(encodeURIComponent).join("/");
  try {
    await client.put(`/mlflow-artifacts/artifacts/${path}`, bytes);
    return true;
  } catch (error) {
    if (error instanceof MlflowError || error instanceof UserError || isDisabled(error)) return false;
    throw error;
  }
}

/** A server of `--no-serve-artifacts` says so with status 503. */
const isDisabled = (error: unknown): boolean =>
  error instanceof TrackerDown && /disabled|no-serve-artifacts/.test(error.message);

/** SHA-256 of a file, by which a copy is known to be the same. */
export async function contentHash(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}
