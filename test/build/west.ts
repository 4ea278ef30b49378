import { expect } from "bun:test";
import type { TestApp } from "./service.ts";

/** Opens a second warehouse with the zones of the first, and the lowest allocation priority. Returns its id. */
export async function openWest(app: TestApp, fields: { readonly timezone?: string } = {}): Promise<string> {
  const [{ address, location_zones }] = (await app.get("/inventory/locations")).body.data;
  const zones = location_zones.map(({ zone_id, temperature_zone }: Record<string, string>) => {
    return { zone_id, temperature_zone };
  });
  const opened = { name: "West", priority: 200, address: { ...address, name: "West" }, location_zones: zones };
  const { status, body } = await app.post("/inventory/locations", { ...opened, ...fields });
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data.warehouse_id;
}
