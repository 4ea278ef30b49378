import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openLabelPrinter } from "../../floor/printing/fake_printers.ts";
import { describeInHouse, type House, handhelds, lookAtPage } from "../browser.ts";
import { after, eanOf, equip, insert, openFloor, pickAll, releaseWave, scan } from "./worker.ts";

const printer = await openLabelPrinter();

/** The orders of the cluster wave. */
const lines: readonly (readonly (readonly [string, number])[])[] = [
  [
    ["CUP", 1],
    ["PLATE", 2],
  ],
  [["PLATE", 1]],
  [["BOWL", 3]],
  [
    ["CUP", 1],
    ["SOUP", 1],
  ],
  [["SOUP", 2]],
  [["CUP", 2]],
  [
    ["PLATE", 1],
    ["BOWL", 1],
  ],
  [
    ["CUP", 1],
    ["BOWL", 1],
  ],
];

describeInHouse("picking and packing on the floor", (house) => {
  let shop: Awaited<ReturnType<typeof equip>>;
  let table_id: string;
  /** The cluster wave, and its order that has to wait. */
  let wave: string;
  const waiting = "C-8";
  beforeAll(async () => {
    shop = await equip(house);
    const { must, codes } = shop;
    await must("POST", "/totes/bulk", { prefix: "T-", first: 1, count: 9 });
    const barcodes = [{ value: eanOf(33), type: "ean" }];
    await must("POST", "/products", {
      sku: "SOUP",
      name: "Soup",
      price: "4.50",
      weight: 1,
      weight_unit: "lb",
      barcodes,
    });
    codes.set("SOUP", eanOf(33));
    for (const bin of ["F-01", "F-02"])
      await must("POST", "/inventory", { sku: "SOUP", quantity: 5, bin, location: "whs_1001" });
    const { data: zebra } = await must("POST", "/printers", { name: "Zebra", kind: "zpl_tcp", ...printer.place });
    const { data: table } = await must("POST", "/stations", { name: "Table 1", label_printer_id: zebra.id });
    table_id = table.id;
  }, 60_000);

  test("a cluster wave of 8 orders is picked into totes, with two short picks", async () => {
    const { order, codes, must } = shop;
    const orders = [];
    for (const [at, of] of lines.entries()) orders.push(await order(`C-${at + 1}`, of));
    wave = await releaseWave(
      house,
      "cluster",
      orders.map(({ id }) => id),
    );
    const tab = await openFloor(house);
    const { page } = tab;
    tab.expectRefusals(409, 422);
    await page.waitForSelector(".floor-lines li");
    await lookAtPage(page, ".floor-lines li", "floor-work", handhelds);
    await page.click("text=Get next task");
    await page.waitForURL(`**/floor/waves/${wave}`);

    // Wrong scans change nothing and say what they were.
    await page.waitForSelector(".floor-step[data-state=now]");
    await lookAtPage(page, ".floor-step", "floor-pick-bin", handhelds);
    expect(await scan(page, "B-07x")).toMatchObject({ kind: "wrong", text: expect.stringContaining("Expected: A-01") });
    expect(await scan(page, "A-01")).toMatchObject({ kind: "right" });
    const wrong = await scan(page, codes.get("PLATE") ?? "");
    expect(wrong).toMatchObject({ kind: "wrong", text: expect.stringContaining("Plate, blue") });
    await lookAtPage(page, ".floor-result[data-kind=wrong]", "floor-pick-wrong", handhelds);

    // After a reload, it goes on where it was.
    await page.reload();
    await page.waitForSelector(".floor-scan-input:focus");
    const short = new Map<string, string>();
    await pickAll(page, codes, async () => {
      const sku = ["BOWL", "SOUP"].find((one) => !short.has(one));
      const is_there =
        sku && (await page.isVisible(`.floor-step[data-state=now]:has(:text-is('Take')):has-text('${sku}')`));
      if (!is_there) return false;
      await lookAtPage(page, ".floor-step", "floor-pick-item", handhelds);
      short.set(sku, (await reportOneMissing(page)).text);
      return true;
    });
    // Soup is in another bin too, and bowls are not: the last order that needs them waits.
    expect(short.get("SOUP")).toMatch(/^Next bin: F-0\d/);
    expect(short.get("BOWL")).toMatch(`To the problem shelf`);
    expect(short.get("BOWL")).toContain(waiting);
    await lookAtPage(page, `.floor-card:has-text('${waiting}')`, "floor-picked", handhelds);
    const { data: picked } = await must("GET", `/waves/${wave}`);
    expect(picked.progress).toMatchObject({ units_left: 0 });
    const { data: exceptions } = await must("GET", "/exceptions?kind=short_pick");
    expect(exceptions.map((one: { name: string }) => one.name)).toEqual([waiting]);
    const { data: counts } = await must("GET", "/inventory/counts");
    expect(counts.map(({ skus }: { skus: string[] }) => skus).sort()).toEqual([["BOWL"], ["SOUP"]]);
  }, 120_000);

  test("its totes are packed on a phone, and their labels come out of the table's printer", async () => {
    const { codes, must } = shop;
    const { data: picked } = await must("GET", `/waves/${wave}`);
    const ready = picked.orders.filter(({ order_number }: { order_number: string }) => order_number !== waiting);
    expect(ready).toHaveLength(7);
    // What its scanner reads is inserted as text, and nothing ends it.
    const tab = await house.open("/floor/settings", { size: "phone" });
    const { page } = tab;
    tab.expectRefusals(409, 422);
    await page.selectOption("select >> nth=1", table_id);
    await page.goto(house.addressOf(`/floor/waves/${wave}`));
    await page.waitForSelector(".floor-done");
    const unscanned = page.locator(".floor-lines li:not([data-state=done]) div span");
    for (const { order_number, totes } of ready) {
      await page.waitForSelector(".floor-scan-input:focus");
      await insert(page, totes[0]);
      await page.waitForSelector(`h1:text-is('Pack ${order_number}')`);
      await unscanned.first().waitFor();
      await lookAtPage(page, ".floor-lines li", "floor-pack", handhelds);
      expect(await after(page, () => insert(page, eanOf(99)))).toMatchObject({ kind: "wrong" });
      while ((await page.locator(".floor-done").count()) === 0) {
        const sku = ((await unscanned.first().textContent()) ?? "").trim();
        const { kind, text } = await after(page, () => insert(page, codes.get(sku) ?? ""));
        if (kind === "wrong") throw new Error(text);
      }
      await page.waitForSelector(".floor-card:has-text('Label: printed')");
      await lookAtPage(page, ".floor-done", "floor-packed", handhelds);
    }
    const { data: sessions } = await must("GET", "/packing_sessions");
    expect(sessions).toHaveLength(7);
    const labels = [];
    for (const { status, label, station_id } of sessions) {
      expect({ status, station_id }).toEqual({ status: "closed", station_id: table_id });
      const zpl = await zplOf(house, label.label_id);
      expect(textsIn(zpl)).toContain(label.tracking_number);
      labels.push(zpl);
    }
    expect(printer.documents.map(String).sort()).toEqual(labels.sort());
  }, 120_000);

  test("one-unit orders are picked together, and each scan of an item packs the oldest of them", async () => {
    const { order, codes, must } = shop;
    const orders = [
      await order("O-1", [["CUP", 1]]),
      await order("O-2", [["PLATE", 1]]),
      await order("O-3", [["CUP", 1]]),
    ];
    const wave = await releaseWave(
      house,
      "single",
      orders.map(({ id }) => id),
    );
    const tab = await openFloor(house, `/floor/waves/${wave}`);
    const { page } = tab;
    tab.expectRefusals(409, 422);
    await page.waitForSelector(".floor-step");
    // Two bins, and three units.
    expect(await pickAll(page, codes)).toBe(5);
    await page.goto(house.addressOf("/floor/settings"));
    await page.selectOption("select >> nth=1", table_id);
    await page.goto(house.addressOf("/floor/pack_items"));
    await page.waitForSelector(".floor-scan-input:focus");
    for (const [sku, number] of [
      ["CUP", "O-1"],
      ["CUP", "O-3"],
      ["PLATE", "O-2"],
    ] as const) {
      expect(await scan(page, codes.get(sku) ?? "")).toMatchObject({
        kind: "done",
        text: expect.stringContaining(number),
      });
    }
    await lookAtPage(page, ".floor-lines li", "floor-pack-items", handhelds);
    expect(await scan(page, codes.get("CUP") ?? "")).toMatchObject({ kind: "wrong" });
    const { data: packed } = await must("GET", `/waves/${wave}`);
    expect(packed.status).toBe("closed");
  }, 60_000);

  test("a lot is confirmed by a GS1 code, or after its item, and another lot is refused", async () => {
    const { order, must } = shop;
    const [value, at] = [eanOf(7), { sku: "MILK", bin: "D-01", location: "whs_1001" }];
    const barcodes = [{ value, type: "ean" }];
    const milk = { sku: "MILK", name: "Milk", price: "2.00", lot_tracking: true, barcodes };
    await must("POST", "/products", milk);
    for (const lot_number of ["L-7", "L-8"]) await must("POST", "/inventory", { ...at, quantity: 2, lot_number });
    const { id } = await order("M-1", [["MILK", 2]]);
    const { page, ...tab } = await openFloor(house, `/floor/waves/${await releaseWave(house, "order", [id])}`);
    tab.expectRefusals(422);
    await page.waitForSelector(".floor-step:has-text('Lot L-7')");
    const coded = (lot: string) => `]C1010${value}10${lot}`;
    for (const [code, kind, text] of [
      ["D-01", "right", "Bin D-01"],
      [value, "right", "Scan or type the lot"],
      ["L-8", "wrong", "Expected: lot L-7"],
      ["L-7", "right", "1 of 2"],
      [coded("L-8"), "wrong", "Expected: lot L-7"],
      [coded("L-7").replace("0400", "0500"), "wrong", "Damaged or wrong barcode"],
      [coded("L-7"), "done", "Everything is picked"],
    ] as const) {
      expect([code, await scan(page, code)]).toEqual([code, { kind, text: expect.stringContaining(text) }]);
    }
  });

  test("the last pick of a cluster wave is taken back, also that of a lot", async () => {
    const { order, codes, must } = shop;
    const milk = { sku: "MILK", bin: "D-01", location: "whs_1001" };
    await must("POST", "/inventory", { ...milk, quantity: 1, lot_number: "L-9" });
    const orders = [
      await order("T-1", [
        ["PLATE", 1],
        ["MILK", 2],
      ]),
      await order("T-2", [["MILK", 1]]),
    ];
    const wave = await releaseWave(
      house,
      "cluster",
      orders.map(({ id }) => id),
    );
    const { page } = await openFloor(house, `/floor/waves/${wave}`);
    await page.waitForSelector(".floor-step");
    const unitsLeft = async () => (await must("GET", `/waves/${wave}`)).data.progress.units_left;
    const takeBack = async (name: string) => {
      await page.click(".floor-act >> text=More");
      return after(page, () => page.click(`text=Return to bin: ${name}`));
    };
    const scanAll = async (...read: readonly string[]) => {
      for (const code of read) expect([code, (await scan(page, code)).kind]).not.toEqual([code, "wrong"]);
    };
    await scanAll("A-02", codes.get("PLATE") ?? "", "T-5");
    expect(await unitsLeft()).toBe(3);
    expect(await takeBack("Plate, blue")).toMatchObject({ kind: "info" });
    expect(await unitsLeft()).toBe(4);
    await scanAll("A-02", codes.get("PLATE") ?? "", "T-5", "D-01", eanOf(7), "L-8", eanOf(7), "T-5");
    expect(await unitsLeft()).toBe(1);
    expect(await takeBack("Milk")).toMatchObject({ kind: "info" });
    expect(await unitsLeft()).toBe(3);
  }, 60_000);

  test("a case and then a unit are 7 units, and a case too many is refused", async () => {
    const { must, order } = shop;
    const [unit, box] = [eanOf(70), "CASE-OF-6"];
    const packs = [{ level: "case", quantity: 6, barcode: box }];
    const tea = { sku: "TEA", name: "Green tea", weight: 1, weight_unit: "lb" };
    await must("POST", "/products", { ...tea, barcodes: [{ value: unit, type: "ean" }], packs });
    await must("POST", "/inventory", { sku: "TEA", quantity: 50, bin: "C-01", location: "whs_1001" });
    const { id } = await order("PACKS", [["TEA", 7]]);
    const wave = await releaseWave(house, "order", [id]);
    const tab = await openFloor(house, `/floor/waves/${wave}`);
    const { page } = tab;
    await page.waitForSelector(".floor-step");
    await scan(page, "C-01");
    const said = expect.stringMatching(/6 of 7.*Case of 6 · Green tea/);
    expect(await scan(page, box)).toMatchObject({ kind: "right", text: said });
    await lookAtPage(page, ".floor-step", "floor-pick-case", handhelds);
    const surplus = await scan(page, box);
    expect(surplus).toMatchObject({ kind: "wrong", text: expect.stringContaining("Scanned: 6 units.") });
    expect(await scan(page, unit)).toMatchObject({ kind: "done" });
    const { data: moved } = await must("GET", `/inventory/movements?reason=picked&sku=TEA`);
    expect(moved.map(({ quantity, pack }: { quantity: number; pack: object | null }) => [quantity, pack])).toEqual([
      [1, null],
      [6, { level: "case", quantity: 6, count: 1 }],
    ]);
  }, 60_000);

  test("a lead takes a task over, and the person before is told", async () => {
    const { order, must } = shop;
    const { id } = await order("L-1", [["PLATE", 2]]);
    const wave = await releaseWave(house, "order", [id]);
    await must("POST", `/work/pick_${wave}/claim`, { device: "Gun 9" });
    const { page } = await openFloor(house);
    await page.waitForSelector(".floor-lines li:has-text('on Gun 9')");
    await lookAtPage(page, ".floor-lines li", "floor-taken", handhelds);
    await page.click("text=Take over");
    await page.waitForURL(`**/floor/waves/${wave}`);
    await page.waitForSelector(".floor-step");
    const pick = { bin: "A-02", sku: "PLATE", quantity: 1, device: "Gun 9" };
    const refused = await house.live.send("POST", `/waves/${wave}/picks`, pick);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "task_taken" } } });
    await page.goto(house.addressOf("/floor"));
    await page.waitForSelector("text=Your tasks");
    await page.click("text=Continue");
    await page.waitForURL(`**/floor/waves/${wave}`);
  });
});

/** Reports that one unit of the item is not there. */
async function reportOneMissing(page: Page) {
  await page.click(".floor-act >> text=Missing");
  while (await page.isEnabled("[aria-label=Fewer]")) await page.click("[aria-label=Fewer]");
  await lookAtPage(page, ".floor-stepper", "floor-pick-short", handhelds);
  return after(page, () => page.click("text=Not there"));
}

async function zplOf(house: House, label_id: string): Promise<string> {
  const headers = { authorization: `Bearer ${house.service.first_keys.live}` };
  const response = await fetch(`${house.url}/v1/shipping/labels/${label_id}/document?format=zpl`, { headers });
  return await response.text();
}

/** The texts of a label, as a printer reads them. */
const textsIn = (zpl: string) =>
  [...zpl.matchAll(/\^FH\^FD(.*?)\^FS/gs)].map(([, text = ""]) => decodeURIComponent(text.replaceAll("_", "%")));
