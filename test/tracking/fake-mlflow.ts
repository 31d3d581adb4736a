import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

/** A run as the fake server keeps it. */
export interface FakeRun {
  readonly id: string;
  readonly experiment: string;
  status: string;
  readonly tags: Map<string, string>;
  readonly params: Map<string, string>;
  /** Every metric that was logged, in order; real servers keep doubles too. */
  readonly metrics: { key: string; value: number; step: number; timestamp: number }[];
}

export interface FakeMlflow {
  readonly url: string;
  readonly runs: FakeRun[];
  readonly experiments: Map<string, { id: string; stage: string }>;
  readonly files: Map<string, Buffer>;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  readonly authorizations: Set<string | undefined>;
  /** Answers instead of the server; a fault that gives false lets the request pass. */
  fault: ((path: string, request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Stops listening, as a server that goes down does; `listen` brings it back. */
  down(): Promise<void>;
  listen(): Promise<void>;
}

/** What requests hold, all of them together. */
interface Body {
  readonly name: string;
  readonly filter: string;
  readonly experiment_ids: readonly string[];
  readonly experiment_id: string;
  readonly run_id: string;
  readonly key: string;
  readonly value: string;
  readonly status: string;
  readonly tags: readonly { key: string; value: string }[];
  readonly params?: readonly { key: string; value: string }[];
  readonly metrics?: FakeRun["metrics"];
}

/** A server with the calls of MLflow that are used, in memory. */
export async function fakeMlflow({ artifacts = "mlflow-artifacts:" } = {}): Promise<FakeMlflow> {
  const runs: FakeRun[] = [];
  const experiments = new Map<string, { id: string; stage: string }>();
  const files = new Map<string, Buffer>();
  const fake = {
    runs,
    experiments,
    files,
    asked: [] as string[],
    authorizations: new Set(),
  } as unknown as FakeMlflow & {
    url: string;
  };
  const answerRun = (run: FakeRun) => {
    const latest = new Map(run.metrics.map((metric) => [metric.key, metric]));
    return {
      info: {
        run_id: run.id,
        status: run.status,
        artifact_uri: `${artifacts}/${run.experiment}/${run.id}/artifacts`,
      },
      data: {
        metrics: [...latest.values()],
        params: [...run.params].map(([key, value]) => ({ key, value })),
        tags: [...run.tags].map(([key, value]) => ({ key, value })),
      },
    };
  };
  const calls: Record<string, (body: Body, query: URLSearchParams) => unknown> = {
    "GET /experiments/get-by-name": (_, query) => {
      const found = experiments.get(query.get("experiment_name")!);
      if (!found) throw { status: 404, code: "RESOURCE_DOES_NOT_EXIST" };
      return { experiment: { experiment_id: found.id, lifecycle_stage: found.stage } };
    },
    "POST /experiments/create": ({ name }) => {
      if (experiments.has(name)) throw { status: 400, code: "RESOURCE_ALREADY_EXISTS" };
      experiments.set(name, { id: String(experiments.size + 1), stage: "active" });
      return { experiment_id: experiments.get(name)!.id };
    },
    "POST /runs/search": ({ filter, experiment_ids }) => {
      const wanted = [...filter.matchAll(/tags\.`([^`]+)` = '([^']*)'/g)];
      const found = runs.filter(
        (run) =>
          experiment_ids.includes(run.experiment) &&
          wanted.every(([, key, value]) => run.tags.get(key) === value),
      );
      return found.length > 0 ? { runs: found.slice(0, 1).map(answerRun) } : {};
    },
    "POST /runs/create": ({ experiment_id, tags }) => {
      const run: FakeRun = {
        id: `run${runs.length}`,
        experiment: experiment_id,
        status: "RUNNING",
        tags: new Map(tags.map(({ key, value }) => [key, value])),
        params: new Map(),
        metrics: [],
      };
      runs.push(run);
      return { run: answerRun(run) };
    },
    "POST /runs/log-batch": ({ run_id, metrics = [], params = [] }) => {
      const run = runs.find(({ id }) => id === run_id);
      if (!run) throw { status: 404, code: "RESOURCE_DOES_NOT_EXIST", message: "no such run" };
      if (metrics.length > 1000 || params.length > 100)
        throw { status: 400, code: "INVALID_PARAMETER_VALUE" };
      for (const { key, value } of params) {
        if (value.length > 500) throw { status: 400, code: "INVALID_PARAMETER_VALUE" };
        if (run.params.has(key) && run.params.get(key) !== value)
          throw { status: 400, code: "INVALID_PARAMETER_VALUE", message: `param ${key} changed` };
        run.params.set(key, value);
      }
      run.metrics.push(...metrics);
      return {};
    },
    "POST /runs/update": ({ run_id, status }) => {
      runs.find(({ id }) => id === run_id)!.status = status;
      return {};
    },
    "POST /runs/set-tag": ({ run_id, key, value }) => {
      runs.find(({ id }) => id === run_id)!.tags.set(key, value);
      return {};
    },
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url!, "http://fake");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    fake.asked.push(`${request.method} ${url.pathname}`);
    fake.authorizations.add(request.headers.authorization);
    if (fake.fault?.(url.pathname, request, response)) return;
    const say = (status: number, answer: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    };
    const file = /^\/api\/2\.0\/mlflow-artifacts\/artifacts\/(.*)$/.exec(url.pathname);
    if (file) {
      files.set(decodeURIComponent(file[1]), body);
      return say(200, {});
    }
    const call = calls[`${request.method} ${url.pathname.replace("/api/2.0/mlflow", "")}`];
    if (!call) return response.writeHead(404, { "content-type": "text/html" }).end("<html>404</html>");
    try {
      say(200, call(body.length > 0 ? JSON.parse(body.toString()) : {}, url.searchParams));
    } catch (error) {
      const { status, code, message = code } = error as { status: number; code: string; message?: string };
      if (code === undefined) throw error;
      say(status, { error_code: code, message });
    }
  };
  let server: Server;
  let port = 0;
  fake.listen = async () => {
    server = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
    fake.url = `http://127.0.0.1:${port}`;
  };
  fake.down = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  await fake.listen();
  afterAll(() => fake.down());
  return fake;
}
