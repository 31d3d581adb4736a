import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Page } from "playwright-core";

/** Drops files on the page as a person does. */
export async function drop(page: Page, ...files: readonly string[]): Promise<void> {
  const given = files.map((file) => ({
    name: basename(file),
    base64: readFileSync(file).toString("base64"),
  }));
  await page.evaluate((list) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of list)
      transfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
    const fire = (type: string) =>
      document.body.dispatchEvent(
        new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }),
      );
    fire("dragover");
    fire("drop");
  }, given);
}

/** The picture of a sample. */
export const picture = (page: Page, sample: number, half = "training") =>
  page.getByRole("region", { name: `Sample ${sample} for ${half}`, exact: true });

/** The value under a place of the n-th picture or curve; `across` and `down` go from 0 to 1. */
export async function valueAt(page: Page, panel: number, across: number, down: number): Promise<string> {
  const frame = page.locator(".picture .panel-frame").nth(panel);
  const { x, y, width, height } = (await frame.boundingBox())!;
  await page.mouse.move(x + across * width, y + down * height);
  return (await frame.locator(".readout").textContent())!.replaceAll("−", "-");
}

/** A number as the page writes it. */
export const short = (value: number) => String(Number(value.toPrecision(4)));
