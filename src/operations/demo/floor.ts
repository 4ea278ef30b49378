// The floor of the sample warehouse: what people pick into and pack with, and two waves. Printers are left out, since
// nothing would print: at these tables, labels and slips open on the screen.
import { systemActor } from "../../core/actor.ts";
import { wireId } from "../../core/ids.ts";
import { createWave, planWave } from "../../floor/picking/plan_wave.ts";
import { toteList } from "../../floor/picking/totes.sql.ts";
import { createTotes } from "../../floor/picking/totes.ts";
import type { PlanWave } from "../../floor/picking/wave.schema.ts";
import { releaseWave } from "../../floor/picking/waves.ts";
import { cartonList } from "../../floor/printing/cartons.sql.ts";
import { createCarton } from "../../floor/printing/cartons.ts";
import { stationList } from "../../floor/printing/printers.sql.ts";
import { createStation } from "../../floor/printing/printers.ts";
import { listPlainWarehouses } from "../../inventory/warehouses/warehouses.sql.ts";
import type { Db, Store } from "../../storage/database.ts";

type SampleCartonRow = readonly [
  code: string,
  name: string,
  size_cm: readonly [length: number, width: number, height: number],
  weight_grams: number,
  max_weight_kg: number,
  cost: string,
];

const cartons: readonly SampleCartonRow[] = [
  ["S-20", "Small", [20, 15, 10], 90, 5, "0.42"],
  ["M-30", "Medium", [30, 25, 20], 220, 12, "0.78"],
  ["L-45", "Large", [45, 35, 30], 460, 22, "1.35"],
  ["XL-60", "Extra large", [60, 45, 40], 780, 30, "2.10"],
];
const tables = ["Table 1", "Table 2"] as const;
const tote_count = 24;

/** The waves, the urgent one first. Orders that are in neither can be planned by hand. */
const waves: readonly (Omit<PlanWave, "warehouse_id"> & { readonly released: boolean })[] = [
  { mode: "cluster", limits: { orders: 4 }, released: true },
  { mode: "batch", limits: { orders: 2 }, released: false },
];

/**
 * Equips the first warehouse, unless a floor is set up already. Plans waves of the orders that can be picked, if there
 * are any, and releases the first.
 */
export async function equipFloor(store: Store): Promise<void> {
  const warehouse = await store.read(async (db) => ((await isEquipped(db)) ? undefined : listPlainWarehouses(db)));
  const warehouse_id = warehouse?.[0]?.id;
  if (warehouse_id === undefined) return;
  const at = { warehouse_id: wireId("warehouse", warehouse_id) };
  await store.write(async (tx) => {
    for (const [code, name, [length, width, height], weight_grams, max_weight_kg, cost] of cartons) {
      const weights = { weight: weight_grams, max_weight: max_weight_kg * 1000, weight_unit: "g" };
      await createCarton(tx, { code, name, length, width, height, unit: "cm", ...weights, cost });
    }
    for (const name of tables) await createStation(tx, { ...at, name });
    await createTotes(tx, { ...at, prefix: "T-", first: 1, count: tote_count });
  });
  for (const { released, ...wanted } of waves) {
    const input = { ...at, ...wanted };
    const plan = await planWave(store, input);
    if (plan.taken.length === 0) continue;
    await store.write(async (tx) => {
      const { id } = await createWave(tx, plan, input, systemActor("demo"));
      if (released) await releaseWave(tx, wireId("wave", id));
    });
  }
}

async function isEquipped(db: Db): Promise<boolean> {
  for (const { count } of [toteList, stationList, cartonList]) if ((await count(db, {})) > 0) return true;
  return false;
}
