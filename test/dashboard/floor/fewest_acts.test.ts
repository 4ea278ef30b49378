// How much a person has to do for one order, from its release to its label.
import { expect, test } from "bun:test";
import { openLabelPrinter } from "../../floor/printing/fake_printers.ts";
import { describeInHouse } from "../browser.ts";
import { equip, openFloor, pickAll, releaseWave, wedge } from "./worker.ts";

const printer = await openLabelPrinter();

describeInHouse("one order from its release to its label", (house) => {
  test("takes the fewest scans and one tap", async () => {
    const { must, order, codes } = await equip(house);
    const { data: zebra } = await must("POST", "/printers", { name: "Zebra", kind: "zpl_tcp", ...printer.place });
    const { data: table } = await must("POST", "/stations", { name: "Table 1", label_printer_id: zebra.id });
    const lines = [
      ["CUP", 1],
      ["PLATE", 2],
      ["BOWL", 1],
    ] as const;
    const { id } = await order("F-1", lines);
    await releaseWave(house, "order", [id]);
    const { page } = await openFloor(house, "/floor/settings");
    await page.selectOption("select >> nth=1", table.id);
    await page.goto(house.addressOf("/floor"));
    const begun_at = performance.now();
    let taps = 0;
    await page.click("text=Get next task");
    taps += 1;
    await page.waitForSelector(".floor-step[data-state=now]");
    let scans = await pickAll(page, codes);
    // At the table: the first item opens the parcel.
    const units = lines.flatMap(([sku, quantity]) => Array.from({ length: quantity }, () => codes.get(sku) ?? ""));
    for (const code of units) {
      await wedge(page, code);
      scans += 1;
    }
    await page.waitForSelector(".floor-card:has-text('Label: printed')");
    const seconds = (performance.now() - begun_at) / 1000;
    console.log(`one order of 3 lines: ${scans} scans, ${taps} tap, ${seconds.toFixed(1)} s`);
    expect(printer.documents).toHaveLength(1);
    // Nobody can do with less where each bin and each unit is checked, once when it is picked and once when it is
    // packed: 3 bins and 4 units, then 4 units. The tap is the choice to begin.
    expect({ scans, taps }).toEqual({ scans: lines.length + 2 * units.length, taps: 1 });
  }, 60_000);
});
