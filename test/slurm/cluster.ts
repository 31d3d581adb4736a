import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Tasks of an array at most, so that a small study exceeds it. */
export const MOST_TASKS = 3;
const NODES = ["node-a", "node-b"];
/** Seconds that the controller takes to start, at most. */
const PATIENCE = 30;

/** Why no cluster can be started here; undefined if it can. */
export function whyNoSlurm(): string | undefined {
  const missing = ["slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel"].find(
    (name) => !paths().some((folder) => has(folder, name)),
  );
  if (missing) return `${missing} is not installed`;
  return process.getuid?.() === 0 ? undefined : "slurmd needs root";
}

const paths = () => [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
function has(folder: string, name: string): boolean {
  try {
    return readdirSync(folder).includes(name);
  } catch {
    return false;
  }
}

/** A Slurm of our own: a controller and two nodes of two cores each, all on this machine and on loopback. */
export interface Cluster {
  /** What its commands need in their environment. */
  readonly environment: NodeJS.ProcessEnv;
  /** Runs one of Slurm's commands. */
  slurm(program: string, ...words: string[]): string;
  /** Lets a job that went back into the queue begin now: Slurm makes it wait for two minutes. */
  release(job: string): void;
  /** Ends a node's daemon, and with it what runs there, as a power failure does. */
  loseNode(name: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "slurm-"));
  for (const name of ["state", "spool"]) mkdirSync(join(folder, name));
  const configuration = join(folder, "slurm.conf");
  const [controller, ...ports] = await freePorts(1 + NODES.length);
  const own = (name: string) => join(folder, name);
  const lines = {
    ClusterName: "test",
    SlurmctldHost: `${hostname()}(127.0.0.1)`,
    AuthType: "auth/none",
    CredType: "cred/none",
    SlurmUser: "root",
    SlurmdUser: "root",
    SlurmctldPort: controller,
    StateSaveLocation: own("state"),
    SlurmdSpoolDir: own("spool/%n"),
    SlurmctldPidFile: own("slurmctld.pid"),
    SlurmdPidFile: own("slurmd-%n.pid"),
    SlurmctldLogFile: own("slurmctld.log"),
    SlurmdLogFile: own("slurmd-%n.log"),
    ProctrackType: "proctrack/linuxproc",
    TaskPlugin: "task/none",
    SwitchType: "switch/none",
    MpiDefault: "none",
    SelectType: "select/cons_tres",
    SelectTypeParameters: "CR_Core",
    AccountingStorageType: "accounting_storage/none",
    JobAcctGatherType: "jobacct_gather/none",
    JobCompType: "jobcomp/none",
    ReturnToService: 2,
    MaxArraySize: MOST_TASKS + 1,
    KillWait: 20,
    SlurmdTimeout: 5,
    SchedulerParameters: "batch_sched_delay=1,sched_interval=2",
  };
  const nodes = NODES.map(
    (name, i) =>
      `NodeName=${name} NodeHostname=${hostname()} NodeAddr=127.0.0.1 Port=${ports[i]} CPUs=2 State=UNKNOWN`,
  );
  writeFileSync(
    configuration,
    [
      ...Object.entries(lines).map(([key, value]) => `${key}=${value}`),
      ...nodes,
      `PartitionName=main Nodes=${NODES.join(",")} Default=YES MaxTime=INFINITE State=UP`,
      "",
    ].join("\n"),
  );
  const environment = { ...process.env, SLURM_CONF: configuration, PATH: paths().join(delimiter) };
  const output = openSync(own("daemons.log"), "a");
  const start = (program: string, ...words: string[]) =>
    spawn(program, ["-D", ...words], { env: environment, stdio: ["ignore", output, output] });
  const daemons = new Map<string, ChildProcess>([["controller", start("slurmctld")]]);
  for (const name of NODES) daemons.set(name, start("slurmd", "-N", name));
  const slurm = (program: string, ...words: string[]) =>
    execFileSync(program, words, { env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

  const end = async (daemon: ChildProcess, signal: NodeJS.Signals) => {
    const gone = daemon.exitCode !== null || daemon.signalCode !== null;
    const exit = gone ? undefined : new Promise((resolve) => daemon.once("exit", resolve));
    daemon.kill(signal);
    await exit;
  };
  const cluster: Cluster = {
    environment,
    slurm,
    release: (job) => void slurm("scontrol", "update", `JobId=${job}`, "StartTime=now"),
    async loseNode(name) {
      await end(daemons.get(name)!, "SIGKILL");
      const own = processesOfNode(name);
      // The daemon of a step first, or it would tell the controller how its script ended.
      for (const pid of new Set(own.map(parentOf).filter(isStepDaemon))) kill(pid);
      for (const pid of own) kill(pid);
    },
    async stop() {
      for (const name of NODES) for (const pid of processesOfNode(name)) kill(pid);
      for (const daemon of [...daemons.values()].reverse()) await end(daemon, "SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
  for (let waited = 0; ; waited++) {
    try {
      if (slurm("sinfo", "--noheader", "--format=%D %t").trim() === `${NODES.length} idle`) return cluster;
    } catch {} // the controller is not there yet
    if (waited > 10 * PATIENCE) {
      const said = readFileSync(own("slurmctld.log"), "utf8").slice(-2000);
      await cluster.stop();
      throw new Error(`Slurm does not start: ${said}`);
    }
    await pause(100);
  }
}

/** Processes that Slurm started on a node: they have its name in their environment. */
export function processesOfNode(name: string): number[] {
  return processesWith((variables) => variables.includes(`SLURMD_NODENAME=${name}`));
}

/** Processes of a task of an array. */
export function processesOfTask(job: string, task: number): number[] {
  return processesWith(
    (variables) =>
      variables.includes(`SLURM_ARRAY_JOB_ID=${job}`) && variables.includes(`SLURM_ARRAY_TASK_ID=${task}`),
  );
}

function processesWith(matches: (variables: readonly string[]) => boolean): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return matches(readFileSync(`/proc/${name}/environ`, "utf8").split("\0")) ? [Number(name)] : [];
    } catch {
      return []; // it has ended
    }
  });
}

/** The number of a process's parent (proc(5), field 4 of `stat`); 0 where it has ended. */
function parentOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}

function isStepDaemon(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("slurmstepd");
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {} // it has ended
}

/** Ports that nobody listens on. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
        ),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
