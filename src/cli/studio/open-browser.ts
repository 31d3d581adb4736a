import { spawn } from "node:child_process";

/** Programs that open an address in the browser that a person prefers. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Whether a person sits before this machine: over SSH, and without a display, a browser would open nowhere. */
export function hasScreen(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): boolean {
  if (env.SSH_CONNECTION !== undefined) return false;
  return platform in OPENERS || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
}

/** Opens an address in the browser. False if no program could be started for it. */
export function openBrowser(address: string): Promise<boolean> {
  const [program, ...words] = OPENERS[process.platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program, [...words, address], { stdio: "ignore", detached: true });
    child.on("error", () => resolve(false));
    child.on("spawn", () => resolve(true));
    child.unref();
  });
}
