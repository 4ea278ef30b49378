// What goes wrong on the floor: each has a message, a sound and a way on of its own.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openLabelPrinter } from "../../floor/printing/fake_printers.ts";
import { describeInHouse, handhelds, lookAtPage } from "../browser.ts";
import { after, eanOf, equip, openFloor, releaseWave, scan, wedge } from "./worker.ts";

/** Records the tones that the page plays from here on. A new page has to be listened to again. */
const listen = (page: Page) =>
  page.evaluate(`globalThis.tones = [];
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (at) { tones.push(this.frequency.value); start.call(this, at); }`);

const tonesOf = async (page: Page) => JSON.stringify(await page.evaluate("tones.splice(0)"));

describeInHouse("bad input on the floor", (house) => {
  let shop: Awaited<ReturnType<typeof equip>>;
  let orders = 0;
  /** The sounds so far, by what they are for. */
  const sounds = new Map<string, string>();
  const milk = eanOf(7);

  beforeAll(async () => {
    shop = await equip(house);
    const { must } = shop;
    await must("POST", "/totes/bulk", { prefix: "T-", first: 1, count: 3 });
    const barcodes = [{ value: milk, type: "ean" }];
    await must("POST", "/products", {
      ...{ sku: "MILK", name: "Milk", price: "2.00", weight: 1, weight_unit: "lb" },
      ...{ lot_tracking: true, barcodes },
    });
  }, 60_000);

  /** An order of these lines, and a wave that picks it. */
  async function wave(lines: readonly (readonly [string, number])[], mode = "order") {
    orders += 1;
    const { id } = await shop.order(`B-${orders}`, lines);
    return { order_id: id, number: `B-${orders}`, wave_id: await releaseWave(house, mode, [id]) };
  }

  /** Receives units of a lot of milk, the only one. */
  const receive = (lot_number: string) =>
    shop.must("POST", "/inventory", { sku: "MILK", bin: "D-01", location: "whs_1001", quantity: 1, lot_number });

  /** An order that is picked, and can be packed. */
  async function picked(lines: readonly (readonly [string, number])[]) {
    orders += 1;
    const { id } = await shop.order(`B-${orders}`, lines);
    await shop.must("POST", `/orders/${id}/process`, {});
    await shop.must("POST", `/orders/${id}/pick`, {});
    return { order_id: id as string, number: `B-${orders}` };
  }

  /** Opens an order at the packing table. */
  async function pack(page: Page, number: string) {
    await page.waitForSelector(".floor-scan-input:focus");
    await wedge(page, number);
    await page.waitForSelector(".floor-lines li");
    await listen(page);
  }

  async function open(path: string) {
    const tab = await openFloor(house, path);
    tab.expectRefusals(409, 422);
    await listen(tab.page);
    return tab.page;
  }

  /** Expects a refusal with this title and text, and remembers its sound. */
  async function refuses(page: Page, act: () => Promise<unknown>, [title, text]: readonly [string, string]) {
    await tonesOf(page);
    const shown = await after(page, act);
    expect(shown).toEqual({ kind: "wrong", text: expect.stringContaining(title) });
    expect(shown.text).toContain(text);
    sounds.set(title, await tonesOf(page));
    await lookAtPage(page, ".floor-result", `floor-bad-${title.toLowerCase().replaceAll(/\W+/g, "-")}`, handhelds);
  }

  test("an unknown barcode is shown, and attached where it was scanned", async () => {
    const { wave_id } = await wave([["CUP", 2]]);
    const page = await open(`/floor/waves/${wave_id}`);
    await scan(page, "A-01");
    const unknown = eanOf(77);
    await refuses(page, () => scan(page, unknown), ["Unknown barcode", unknown]);
    expect(await after(page, () => page.click(`text=Attach ${unknown} to Cup`))).toMatchObject({ kind: "done" });
    expect(await scan(page, unknown)).toMatchObject({ kind: "right", text: expect.stringContaining("1 of 2") });
    expect(await scan(page, unknown)).toMatchObject({ kind: "done" });
  });

  test("of the readings of an ambiguous code, one is chosen", async () => {
    await receive("AB");
    const { wave_id } = await wave([["MILK", 1]]);
    const page = await open(`/floor/waves/${wave_id}`);
    await scan(page, "D-01");
    await refuses(page, () => scan(page, `010${milk}10AB17300101`), ["Which one is it?", "read in several ways"]);
    expect(await after(page, () => page.click(".floor-button:has-text('Lot AB ·')"))).toMatchObject({ kind: "done" });
  });

  test("a wrong lot says which one is right, and an expired one stays out of the parcel", async () => {
    await receive("L-7");
    const { wave_id, number } = await wave([["MILK", 1]]);
    const page = await open(`/floor/waves/${wave_id}`);
    await scan(page, "D-01");
    await refuses(page, () => scan(page, `]C1010${milk}10L-8`), ["Wrong lot", "Expected: lot L-7"]);
    expect(await scan(page, `]C1010${milk}10L-7`)).toMatchObject({ kind: "done" });

    const { data: lots } = await shop.must("GET", "/inventory/lots?sku=MILK&lot_number=L-7");
    const expired = { expiration_date: new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10) };
    await shop.must("PATCH", `/inventory/lots/${lots[0].id}`, expired);
    await page.goto(house.addressOf("/floor/pack"));
    await pack(page, number);
    await refuses(page, () => scan(page, `]C1010${milk}10L-7`), ["Expired lot", "L-7"]);
    await page.click("text=Stop packing this parcel");
    await page.waitForSelector("h1:text-is('Work')");
  });

  test("a wrong tote says which one is right", async () => {
    const { wave_id } = await wave([["CUP", 2]], "cluster");
    const page = await open(`/floor/waves/${wave_id}`);
    const cup = shop.codes.get("CUP") ?? "";
    for (const code of ["A-01", cup, cup]) await scan(page, code);
    await refuses(page, () => scan(page, "T-9"), ["Wrong tote", "T-9"]);
    expect(await scan(page, "T-1")).toMatchObject({ kind: "done" });
  });

  test("a task that someone else took is taken over, or left for the next one", async () => {
    const { wave_id } = await wave([["PLATE", 1]]);
    const page = await open(`/floor/waves/${wave_id}`);
    await shop.must("POST", `/work/pick_${wave_id}/take_over`, { device: "Gun 9" });
    await scan(page, "A-02");
    const plate = shop.codes.get("PLATE") ?? "";
    await refuses(page, () => scan(page, plate), ["Someone else is working on this", "on Gun 9"]);
    await page.waitForSelector("text=Get next task");
    expect(await after(page, () => page.click("text=Take over"))).toMatchObject({
      kind: "right",
      text: expect.stringContaining("yours now"),
    });
    expect(await scan(page, plate)).toMatchObject({ kind: "done" });
  });

  test("the units of an order that was cancelled while it is packed are put back", async () => {
    const { order_id, number } = await picked([["BOWL", 1]]);
    const page = await open("/floor/pack");
    await pack(page, number);
    await shop.must("DELETE", `/orders/${order_id}`);
    const bowl = shop.codes.get("BOWL") ?? "";
    await refuses(page, () => scan(page, bowl), ["The order was cancelled", "Put its units back"]);
    await page.click("a:has-text('Put its units back')");
    await page.waitForSelector(".floor-lines li:has-text('BOWL')");
    expect(await scan(page, bowl)).toMatchObject({ kind: "right" });
    expect(await scan(page, "B-07")).toMatchObject({ kind: "done" });
  });

  test("a printer that is off is noticed, its label opens on the screen, and is printed once it is on", async () => {
    const printer = await openLabelPrinter();
    await printer.turnOff();
    const { data: zebra } = await shop.must("POST", "/printers", { name: "Zebra", kind: "zpl_tcp", ...printer.place });
    const { data: table } = await shop.must("POST", "/stations", { name: "Table 1", label_printer_id: zebra.id });
    const { number } = await picked([["CUP", 1]]);
    const page = await open("/floor/settings");
    await page.selectOption("select >> nth=1", table.id);
    await page.goto(house.addressOf("/floor/pack"));
    await pack(page, number);
    const packed = async () => {
      await scan(page, shop.codes.get("CUP") ?? "");
      await page.waitForSelector(".floor-result:has-text('not printed')");
    };
    await refuses(page, packed, ["Label not printed", "Check the printer"]);
    await page.waitForSelector(".floor-card.bad button:has-text('Open')");
    await printer.turnOn();
    await page.waitForSelector(".floor-card:not(.bad):has-text('Label: printed')");
    expect(printer.documents).toHaveLength(1);
  });

  test("the documents of a parcel appear once its label is being bought", async () => {
    const [table] = (await shop.must("GET", "/stations")).data;
    const { number } = await picked([["PLATE", 1]]);
    const page = await open("/floor/settings");
    await page.selectOption("select >> nth=1", table.id);
    await page.goto(house.addressOf("/floor/pack"));
    await pack(page, number);
    // The screen sees the parcel between the two steps of the server: it is packed, and nothing is bought or queued.
    let is_bought = false;
    await page.route("**/v1/packing_sessions/*/scans", async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      Object.assign(body.data, { label_status: "pending", label: null });
      await route.fulfill({ response, json: body });
    });
    await page.route("**/v1/packing_sessions/pks_*", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      is_bought = true;
      await route.continue();
    });
    await page.route("**/v1/print_jobs**", async (route) => {
      if (is_bought) return route.continue();
      await route.fulfill({ json: { success: true, data: [], meta: {} } });
    });
    expect(await scan(page, shop.codes.get("PLATE") ?? "")).toMatchObject({ kind: "done" });
    await page.waitForSelector(".floor-card:has-text('Label:')");
    await page.unrouteAll({ behavior: "wait" });
  });

  test("a phone whose clock is wrong says so, and goes on", async () => {
    const { wave_id } = await wave([["CUP", 2]]);
    const page = await open(`/floor/waves/${wave_id}`);
    const cup = shop.codes.get("CUP") ?? "";
    await scan(page, "A-01");
    const shift = () => page.evaluate("Date.now = () => performance.timeOrigin + performance.now() + 2 * 3_600_000");
    const next = async () => {
      await shift();
      await wedge(page, cup);
      await page.waitForSelector(".floor-result:has-text('clock')");
    };
    await refuses(page, next, ["This device's clock is wrong", "2 hours fast"]);
    expect(await scan(page, cup)).toMatchObject({ kind: "done" });
  });

  test("no two of them sound the same", () => {
    expect(sounds.size).toBe(9);
    expect(new Set(sounds.values()).size).toBe(sounds.size);
  });
});
