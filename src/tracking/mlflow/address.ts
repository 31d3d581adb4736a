import { OptionError } from "../../errors.js";

/** A tracking server and how to be let in. */
export interface MlflowAddress {
  /** Address without credentials and without a slash at the end. */
  readonly base: string;
  /** Value of the Authorization header; never shown. */
  readonly authorization: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const EXAMPLE = "mlflow:http://localhost:5000";

/** Reads an address, by default that of MLflow's own variables, which also hold credentials. */
export function mlflowAddress(place: string | undefined, environment: Environment): MlflowAddress {
  const given = place ?? environment.MLFLOW_TRACKING_URI;
  if (given === undefined || given === "")
    throw new OptionError(`--track mlflow needs the address of a server: ${EXAMPLE}, or MLFLOW_TRACKING_URI`);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.hostname === "")
    throw new OptionError(
      `--track mlflow takes the address of a server, such as ${EXAMPLE}; \`mlflow server\` starts one on top of files or a database`,
    );
  return {
    base: `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`,
    authorization: authorizationOf(url, environment),
  };
}

/** A user and a password in the address, or in the variables; or else a token in these. */
function authorizationOf(url: URL, environment: Environment): string | undefined {
  const user = decodeURIComponent(url.username) || environment.MLFLOW_TRACKING_USERNAME;
  const password = decodeURIComponent(url.password) || environment.MLFLOW_TRACKING_PASSWORD;
  if (user && password) return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const token = environment.MLFLOW_TRACKING_TOKEN;
  return token ? `Bearer ${token}` : undefined;
}
