import { afterAll, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { postal_codes } from "../../db/schema/postal.ts";
import { packed_file, postalText } from "../../scripts/postal_codes.ts";
import { loadPostalCodes } from "../../src/addresses/addresses.jobs.ts";
import { carriedPlaces } from "../../src/addresses/carried_zip_codes.ts";
import { loadZips, verifyOffline } from "../../src/addresses/verify_address.ts";
import { nextZipToLoad } from "../../src/addresses/zip_codes.sql.ts";
import { openTestApp } from "../build/service.ts";

const app = await openTestApp();
afterAll(app.close);
const { live } = app.service.stores;

test("the bundled file is what the script makes of the packages", async () => {
  expect(gunzipSync(await Bun.file(packed_file).bytes()).toString()).toBe(await postalText());
});

const portland = { address_line1: "12 Elm St", address_line2: null, city: "Portland", state: "OR", country: "US" };
const check = (postal_code: string) =>
  live.read(async (db) => (await verifyOffline(db, [{ ...portland, postal_code }]))[0]?.status);
const stored = () => live.read((db) => db.sql.$count(postal_codes));
const load = () => loadPostalCodes(live, app.service);

test("ZIP codes are loaded in batches while checks work, and an interrupted load continues", async () => {
  const all = (await postalText()).trimEnd().split("\n").length;
  const answers = async () => [await check("97201"), await check("04101"), await check("00000")];
  const expected: Awaited<ReturnType<typeof answers>> = ["verified", "error", "warning"];
  expect(await stored()).toBe(0);
  expect(await answers()).toEqual(expected);
  expect(await live.write(loadZips)).toBe(true);
  const first = await stored();
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(all);
  expect(await answers()).toEqual(expected);
  // A batch that was not committed leaves nothing.
  const broken = live.write(async (tx) => {
    await loadZips(tx);
    throw new Error("the process ends here");
  });
  expect(broken).rejects.toThrow("ends here");
  await broken.catch(() => {});
  expect(await stored()).toBe(first);
  // One server is told to stop and leaves the rest to others, of which two may load at once.
  await loadPostalCodes(live, { ...app.service, ending: AbortSignal.abort() });
  expect(await stored()).toBe(first);
  await Promise.all([load(), load()]);
  expect(await stored()).toBe(all);
  expect(await live.read(nextZipToLoad)).toBeNull();
  expect(await answers()).toEqual(expected);
  await load();
  expect(await stored()).toBe(all);
});

test("every ZIP code in the bundled file is found, and no other", async () => {
  const lines = (await postalText()).trimEnd().split("\n");
  const expected = new Map(
    lines.map((line) => line.split("\t")).map(([zip, city, state]) => [Number(zip), [city, state]]),
  );
  const all = Array.from({ length: 100_000 }, (_, zip) => zip);
  const found = new Map(carriedPlaces(all).map(({ zip, city, state }) => [zip, [city, state]]));
  expect(found).toEqual(expected as typeof found);
});
