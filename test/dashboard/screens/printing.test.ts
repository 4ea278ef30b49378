import { expect, test } from "bun:test";
import { openLabelPrinter } from "../../floor/printing/fake_printers.ts";
import { describeInHouse, lookAt } from "../browser.ts";

const printer = await openLabelPrinter();

describeInHouse("printers, stations and cartons", (house) => {
  test("a printer is added, prints a test page, and serves a station", async () => {
    const { page } = await house.open("/settings/printers");
    await page.click("button:has-text('New printer')");
    await page.fill("dialog [name=name]", "Zebra 1");
    await page.fill("dialog [name=host]", printer.place.host);
    await page.fill("dialog [name=port]", String(printer.place.port));
    await page.click("dialog button:has-text('Create')");
    await page.waitForSelector("td:has-text('Zebra 1')");
    const menu = "tr:has-text('Zebra 1') button[aria-haspopup]";
    await page.click(menu);
    await page.click("[role=menuitem]:has-text('Print test page')");
    await page.waitForSelector("text=Zebra 1 took the test page.");
    expect(printer.documents.map(String).join()).toContain("Zebra 1");

    await page.goto(page.url().replace("printers", "stations"));
    await page.click("button:has-text('New station')");
    await page.fill("dialog [name=name]", "Table 1");
    await page.selectOption("dialog [name=label_printer_id]", { label: "Zebra 1" });
    await page.click("dialog button:has-text('Create')");
    await page.waitForSelector("tr:has-text('Table 1') td:has-text('Zebra 1')");
    await page.goto(page.url().replace("stations", "printers/jobs"));
    await page.waitForSelector("tr:has-text('Test page'):has-text('Sent')");
  }, 60_000);

  test("a carton keeps its size as it was entered", async () => {
    const { page } = await house.open("/settings/cartons");
    await page.click("button:has-text('New carton')");
    await page.fill("dialog [name=code]", "S");
    for (const [name, side] of [
      ["length", "12"],
      ["width", "9.5"],
      ["height", "4"],
    ] as const) {
      await page.fill(`dialog [name=${name}]`, side);
    }
    await page.click("dialog button:has-text('Create')");
    await page.waitForSelector("td:has-text('12 × 9.5 × 4 in')");
  }, 60_000);

  for (const name of ["printers", "stations", "cartons", "printers/jobs"]) {
    test(`looks right: ${name}`, async () => {
      await lookAt(house, `/settings/${name}`, "tbody tr", `printing-${name.replace("/", "-")}`);
    }, 60_000);
  }
});
