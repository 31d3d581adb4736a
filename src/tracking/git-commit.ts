import { execFile } from "node:child_process";

/** The commit that is checked out in a folder; undefined outside a repository, or where git is not installed. */
export function gitCommit(folder: string): Promise<string | undefined> {
  const options = { cwd: folder, timeout: 5000, windowsHide: true };
  return new Promise((resolve) => {
    execFile("git", ["rev-parse", "HEAD"], options, (error, stdout) => {
      const commit = stdout?.trim();
      resolve(!error && /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined);
    });
  });
}
