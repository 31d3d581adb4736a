import { UserError } from "../../errors.js";
import { type MlflowClient, MlflowError } from "./client.js";

interface Found {
  readonly experiment: {
    readonly experiment_id: string;
    readonly lifecycle_stage?: string;
  };
}

/** The number of an experiment, which is made if there is none. Several processes may ask at once. */
export async function experimentId(client: MlflowClient, name: string): Promise<string> {
  const known = await find(client, name);
  if (known !== undefined) return known;
  try {
    const { experiment_id } = await client.post<{ experiment_id: string }>("/experiments/create", { name });
    return experiment_id;
  } catch (error) {
    if (!(error instanceof MlflowError) || error.code !== "RESOURCE_ALREADY_EXISTS")
      throw refused(error, name);
    const made = await find(client, name); // by another process just now
    if (made === undefined) throw refused(error, name);
    return made;
  }
}

/** Refuses an experiment that cannot be used, without making one that does not exist. */
export async function checkExperiment(client: MlflowClient, name: string): Promise<void> {
  await find(client, name);
}

async function find(client: MlflowClient, name: string): Promise<string | undefined> {
  try {
    const { experiment } = await client.get<Found>("/experiments/get-by-name", { experiment_name: name });
    const { experiment_id, lifecycle_stage } = experiment;
    if (lifecycle_stage !== "deleted") return experiment_id;
    throw new UserError(
      `experiment "${name}" was deleted in MLflow: \`mlflow experiments restore --experiment-id ${experiment_id}\` brings it back, or choose another --experiment`,
    );
  } catch (error) {
    if (error instanceof MlflowError && error.code === "RESOURCE_DOES_NOT_EXIST") return undefined;
    throw refused(error, name);
  }
}

const refused = (error: unknown, name: string): unknown =>
  error instanceof MlflowError
    ? new UserError(`MLflow refuses experiment "${name}": ${error.message}: choose another --experiment`)
    : error;
