import { expect, test } from "bun:test";
import { codesIn } from "../../../src/dashboard/web/screens/warehouses/bin_layout.ts";
import { describeInHouse, lookAt } from "../browser.ts";

test("bin codes are entered one by one or as a range", () => {
  expect(codesIn("A-1, A-2\nB-1\n\nA-1")).toEqual(["A-1", "A-2", "B-1"]);
  expect(codesIn("A-08..A-11")).toEqual(["A-08", "A-09", "A-10", "A-11"]);
  expect(codesIn("R2-9..11; X")).toEqual(["R2-9", "R2-10", "R2-11", "X"]);
  // What is no range is a code: the letters differ, or the numbers fall.
  expect(codesIn("A-1..B-3, A-3..A-1, Z..Y")).toEqual(["A-1..B-3", "A-3..A-1", "Z..Y"]);
  expect(codesIn("A-1..A-99999999")).toEqual(["A-1..A-99999999"]);
});

describeInHouse("the house", (house) => {
  const warehouses = async () => (await house.live.must("GET", "/inventory/locations")).data;

  test("gets other working days, a zone, and bins by a range of codes", async () => {
    const { page } = await house.open("/settings/house");
    await page.click("button:has-text('Edit')");
    await page.fill("[name=cutoff_time]", "16:30");
    await page.fill("[name=holidays]", "2027-12-24\n2027-12-27");
    await page.click("dialog label:has-text('Saturday')");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector("dd:has-text('16:30')");
    const [first] = await warehouses();
    expect(first).toMatchObject({ cutoff_time: "16:30", holidays: ["2027-12-24", "2027-12-27"] });
    expect(first.working_days).toEqual(["mon", "tue", "wed", "thu", "fri", "sat"]);

    await page.click("button:has-text('New zone')");
    await page.fill("[name=zone_id]", "COLD");
    await page.selectOption("[name=temperature_zone]", "refrigerated");
    await page.click("dialog button:has-text('Create')");
    await page.waitForSelector("tr:has-text('COLD')");
    await page.click("tr:has-text('COLD') [aria-label=More]");
    await page.click("[role=menuitem]:has-text('bins')");
    await page.fill("[name=bins]", "C-01..C-12");
    await page.fill("[name=capacity]", "40");
    await page.waitForSelector("dialog :text('12 bins will be added')");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector("tr:has-text('COLD'):has-text('12')");
    const cold = (await warehouses())[0].location_zones.find(({ zone_id }: { zone_id: string }) => zone_id === "COLD");
    expect(cold).toMatchObject({ temperature_zone: "refrigerated" });
    expect(cold.bins.map(({ code, capacity }: { code: string; capacity: number }) => [code, capacity])).toContainEqual([
      ...["C-07", 40],
    ]);
  }, 40_000);

  test("gets another warehouse, and an error is shown at its field", async () => {
    const tab = await house.open("/settings/house");
    tab.expectRefusals(422);
    const { page } = tab;
    await page.click("button:has-text('New warehouse')");
    await page.fill("[name=name]", "West");
    await page.fill("[name='address.address_line1']", "1 Dock Rd");
    await page.fill("[name='address.city']", "Reno");
    await page.fill("[name='address.state']", "NV");
    await page.fill("[name='address.postal_code']", "89501");
    await page.fill("[name=cutoff_time]", "half past two");
    await page.click("dialog button:has-text('Create')");
    await page.waitForSelector("[data-field=cutoff_time] .field-wrong");
    await page.fill("[name=cutoff_time]", "14:30");
    await page.fill("[name=bins]", "A-1..A-3");
    await page.click("dialog button:has-text('Create')");
    await page.waitForSelector("h2:has-text('West')");
    const west = (await warehouses()).find(({ name }: { name: string }) => name === "West");
    const codes = west.location_zones[0].bins.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(expect.arrayContaining(["A-1", "A-2", "A-3"]));
  }, 40_000);

  test("looks right", async () => {
    await lookAt(house, "/settings/house", "h2:has-text('Main warehouse')", "house");
  }, 60_000);
});
