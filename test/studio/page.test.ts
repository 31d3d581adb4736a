import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, type OpenStudio, openStudio } from "./studio-page.js";

describe.skipIf(CHROMIUM === undefined)("the page of the studio", () => {
  let studio: OpenStudio;
  beforeAll(async () => {
    studio = await openStudio();
  });
  afterAll(() => studio?.close());

  it("has a tab for every view, which the address keeps, and arrow keys go between them", async () => {
    const { page, errors } = await studio.open();
    await page.getByRole("tab", { name: "Clients" }).click();
    expect(new URL(page.url()).hash).toBe("#view=clients");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.getByRole("tab", { selected: true }).textContent()).toBe("Training");
    expect(errors).toEqual([]);
  });

  it("says what of the address it cannot take, once", async () => {
    const { page, errors } = await studio.open("#task=nothing&alpha=-3&clients=5&colour=red");
    const notice = page.getByRole("alert").filter({ hasText: "it shows the defaults" });
    expect(await notice.textContent()).toContain("understand task, alpha, colour in its address");
    await notice.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => notice.count()).toBe(0);
    expect(errors).toEqual([]);
  });
});
