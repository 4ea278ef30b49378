// Screens of the floor for gloves, for either hand, and without a mouse.
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { describeInHouse } from "../browser.ts";
import { equip, openFloor, releaseWave, scan, smallTargets, wedge } from "./worker.ts";

describeInHouse("reach on the floor", (house) => {
  test("is enough for gloves and for either hand, and nothing needs a mouse", async () => {
    const { must, order, codes } = await equip(house);
    const { id } = await order("G-1", [["CUP", 3]]);
    const wave = await releaseWave(house, "order", [id]);
    const { page } = await openFloor(house);
    const small: Record<string, string[]> = {};
    const look = async (name: string) => {
      await page.waitForTimeout(100);
      for (const [width, height] of [
        [480, 800],
        [360, 640],
      ] as const) {
        await page.setViewportSize({ width, height });
        const found = await smallTargets(page);
        if (found.length > 0) small[`${name} ${width}`] = found;
      }
      expect([name, await hovers(page)]).toEqual([name, []]);
    };
    await page.waitForSelector("text=Open tasks");
    await look("work");
    for (const path of ["menu", "settings", "look_up", "move", "pack", "pack_items"]) {
      await page.goto(house.addressOf(`/floor/${path}`));
      await page.waitForSelector(".floor-head");
      await look(path);
    }
    await page.goto(house.addressOf(`/floor/waves/${wave}`));
    await page.waitForSelector(".floor-step");
    await scan(page, "A-01");
    await scan(page, codes.get("CUP") ?? "");
    await look("pick");
    const sides = () =>
      page.evaluate(`(() => {
      const [first, ...others] = [...document.querySelectorAll(".floor-act .floor-button")];
      const x = (element) => element.getBoundingClientRect().x;
      return others.every((one) => x(one) > x(first)) ? "right" : "left";
    })()`);
    expect(await sides()).toBe("right");
    for (const panel of ["Missing", "Enter units"]) {
      await page.click(`.floor-act >> text=${panel}`);
      await look(panel);
      await page.click("text=Cancel");
    }
    await page.click("text=All 2");
    await page.waitForSelector(".floor-done");
    await wedge(page, "G-1");
    await page.waitForSelector("h1:text-is('Pack G-1')");
    await look("pack");
    await page.click("text=More");
    await look("more");
    await page.click("text=Enter weight");
    await look("weight");
    expect(small).toEqual({});

    const other = await order("G-2", [["CUP", 3]]);
    const second = await releaseWave(house, "order", [other.id]);
    await page.goto(house.addressOf("/floor/settings"));
    await page.click("button:text-is('Left hand')");
    await page.goto(house.addressOf(`/floor/waves/${second}`));
    await page.waitForSelector(".floor-step");
    await scan(page, "A-01");
    await scan(page, codes.get("CUP") ?? "");
    expect(await sides()).toBe("left");
    await must("DELETE", `/orders/${other.id}`);
  }, 60_000);
});

/** The rules for a hovered mouse that change something on the screen. */
function hovers(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const floor = [...document.querySelectorAll(".floor, .floor *")];
    const flat = (rules) => [...rules].flatMap((rule) => [rule, ...flat(rule.cssRules ?? [])]);
    return [...document.styleSheets].flatMap(({ cssRules }) => flat(cssRules)).flatMap(({ selectorText, style }) => {
      if (!selectorText?.includes(":hover") || /^a:hover$|^\\.floor /.test(selectorText)) return [];
      return floor.some((one) => one.matches(selectorText.replaceAll(":hover", ""))) ? [selectorText] : [];
    });
  })()`);
}
