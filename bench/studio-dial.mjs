/**
 * A step of the studio's dial in Chromium: from the slider's input event to the painted frame with the new split, for 1,000
 * samples of 101 x 101, 10 clients and 10 bins, all along the dial and back. Needs a build, and Chromium, which CHROMIUM names
 * or /usr/bin/chromium is. Takes a task and the number of clients as its arguments, burgers and 10 unless given.
 */
import { chromium } from "playwright-core";
import { startStudio } from "../dist/studio/server/server.js";

const TASK = process.argv[2] ?? "burgers";
const CLIENTS = Number(process.argv[3] ?? 10);
const SAMPLES = 1000;
/** Ways along the dial and back; the first one warms up. */
const WAYS = 4;

const server = await startStudio();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(
    `${server.url}#view=clients&task=${TASK}&train_samples=${SAMPLES}&test_samples=1&clients=${CLIENTS}`,
  );
  await page.locator("canvas[data-alpha]").waitFor({ timeout: 300_000 });
  await page.waitForTimeout(3000); // the dial is swept and inputs are compared once
  const dial = page.getByRole("slider", { name: "alpha" });
  const times = [];
  for (let way = 0; way < WAYS; way++) {
    const found = await dial.evaluate(drag);
    if (way > 0) times.push(...found);
  }
  report("all of the dial", times);
  report(
    "alpha 0.01 and below, with repair",
    times.filter(({ alpha }) => alpha <= 0.01),
  );
} finally {
  await browser.close();
  await server.close();
}

/** Runs in the page: moves the slider by one step after the other, and waits for the frame that shows each. */
async function drag(slider) {
  const canvas = document.querySelector("canvas[data-alpha]");
  const shown = () =>
    new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        observer.disconnect();
        resolve(performance.now());
      });
      observer.observe(canvas, { attributeFilter: ["data-alpha"] });
    });
  // A message that is sent within a frame arrives when the frame is painted.
  const painted = () =>
    new Promise((resolve) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(0);
      });
    });
  const times = [];
  const steps = Number(slider.max);
  const places = [...Array(steps + 1).keys()].reverse().concat([...Array(steps + 1).keys()]);
  for (const place of places) {
    if (Number(slider.value) === place) continue;
    const began = performance.now();
    const drawn = shown();
    slider.value = String(place);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    const compute = (await drawn) - began;
    times.push({ alpha: Number(canvas.dataset.alpha), drawn: compute, painted: (await painted()) - began });
  }
  return times;
}

function report(where, times) {
  const at = (name, share) => {
    const sorted = times.map((time) => time[name]).sort((a, b) => a - b);
    return `${sorted[Math.floor(share * (sorted.length - 1))].toFixed(1)} ms`;
  };
  const line = (name) => `median ${at(name, 0.5)}, 95th percentile ${at(name, 0.95)}`;
  console.log(`${TASK}, ${SAMPLES} samples, ${CLIENTS} clients, ${where} (${times.length} steps)`);
  console.log(`  to the drawn canvas: ${line("drawn")}`);
  console.log(`  to the painted frame: ${line("painted")}`);
}
