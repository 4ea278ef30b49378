// A packing station in a shop, and the calls of a packer.
import { cartons, printers, stations } from "../../../db/schema/floor.ts";
import { insertIds } from "../../../src/storage/statements.ts";
import type { Shop } from "../../build/shop.ts";

const device = "table-1";

/** Adds a station with a label printer and a document printer, and returns the packer's calls. */
export async function packerOf(shop: Shop) {
  const { app } = shop;
  const station_id = await app.service.stores.live.write(async (tx) => {
    const stamps = { revision: 1, created_at: tx.now, updated_at: tx.now };
    const printer = { warehouse_id: 1001, host: "127.0.0.1", port: 9100, path: null, active: true, ...stamps };
    const [label = 0, slip = 0] = await insertIds(tx, printers, [
      { ...printer, name: "Zebra", kind: "zpl_tcp", media: "4x6", dpi: 203 },
      { ...printer, name: "Laser", kind: "ipp", path: "/ipp/print", media: "a4", dpi: null },
    ]);
    const [id] = await insertIds(tx, stations, [
      { warehouse_id: 1001, name: "Table 1", label_printer_id: label, document_printer_id: slip, ...stamps },
    ]);
    return `stn_${id}`;
  });
  const post = (path: string, body: object = {}) => app.post(`/packing_sessions${path}`, body);
  return {
    station_id,
    device,
    open: (body: object) => post("", { station_id, device, ...body }),
    scan: (id: string, sku: string, more: object = {}) => post(`/${id}/scans`, { sku, ...more }),
    post,
    fromItem: (sku: string, more: object = {}) => post("/from_item", { station_id, device, sku, ...more }),
    patch: (id: string, body: object) => app.call("PATCH", `/packing_sessions/${id}`, body),
    get: async (id: string) => (await app.get(`/packing_sessions/${id}`)).body.data,
    /** The print jobs so far, such as `label Zebra`. */
    prints: () =>
      app.service.stores.live.read(async (db) => {
        const { print_jobs } = await import("../../../db/schema/floor.ts");
        return db.sql.select().from(print_jobs).orderBy(print_jobs.id);
      }),
    /** Adds a carton: its code, its inner sides in mm, and its weight in grams. */
    carton: (code: string, [length, width, height]: readonly [number, number, number], weight = 0, more: object = {}) =>
      app.service.stores.live.write(async (tx) => {
        const described = { length: length / 10, width: width / 10, height: height / 10, unit: "cm" as const };
        const [id] = await insertIds(tx, cartons, [
          {
            ...{ code, name: null, length_mm: length, width_mm: width, height_mm: height, tare_grams: weight },
            described: { ...described, weight, weight_unit: "g" as const, max_weight: null },
            ...{ max_weight_grams: null, cost_cents: null, currency: null, active: true },
            ...{ revision: 1, created_at: tx.now, updated_at: tx.now },
            ...more,
          },
        ]);
        return `ctn_${id}`;
      }),
  };
}
