// What people on the floor look for: lots and bins.
import { and, asc, eq, sql as template } from "drizzle-orm";
import { begins, folded, given } from "../../../db/kit.ts";
import { lots } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { bins, warehouses } from "../../../db/schema/warehouses.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import { wireId } from "../../kit/ids.ts";
import { bestOf, fitOf, type Hit, type Typed } from "../rules.ts";

const lot = {
  id: lots.id,
  merchant_id: lots.merchant_id,
  lot_number: lots.lot_number,
  state: lots.status,
  at: lots.received_date,
  product_id: lots.product_id,
  sku: products.sku,
  name: products.name,
};
const lotById = prepared((sql, a: Args<{ id: number }>) =>
  sql.select(lot).from(lots).innerJoin(products, eq(products.id, lots.product_id)).where(eq(lots.id, a.id)),
);
const lotsByNumber = prepared((sql, a: Args<{ code: string; limit: number }>) =>
  sql
    .select(lot)
    .from(lots)
    .innerJoin(products, eq(products.id, lots.product_id))
    .where(begins(folded(lots.lot_number), a.code))
    .orderBy(asc(folded(lots.lot_number)), asc(lots.id))
    .limit(given(a.limit)),
);

/** The lots with this number, and those whose number begins with it. */
export async function findLotHits(db: Db, typed: Typed, limit: number): Promise<Hit[]> {
  const own = await lotById(db, { id: typed.idOf("lot") });
  const rows = [...own];
  for (const code of typed.codes) rows.push(...(await lotsByNumber(db, { code, limit })));
  return bestOf(
    rows.map((row): Hit => {
      const { id, lot_number, sku, name, product_id, state, at } = row;
      const fit = own.includes(row) ? "exact" : (fitOf(typed, [lot_number]) ?? "prefix");
      return {
        type: "lot",
        fit,
        id: wireId("lot", id),
        title: lot_number,
        subtitle: `${sku} · ${name}`,
        state,
        at,
        of: { type: "product", id: wireId("product", product_id) },
        merchant_id: row.merchant_id,
      };
    }),
  );
}

// The condition is written out, as in the index of these bins.
const binsByCode = prepared((sql, a: Args<{ code: string; limit: number }>) =>
  sql
    .select({ code: bins.code, kind: bins.kind, warehouse_id: bins.warehouse_id, warehouse: warehouses.name })
    .from(bins)
    .innerJoin(warehouses, eq(warehouses.id, bins.warehouse_id))
    .where(and(template`${bins.kind} <> 'staging'`, begins(folded(bins.code), a.code)))
    .orderBy(asc(folded(bins.code)), asc(bins.id))
    .limit(given(a.limit)),
);

/** The bins with this code in any warehouse, and those whose code begins with it. */
export async function findBinHits(db: Db, typed: Typed, limit: number): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (const code of typed.codes) {
    for (const row of await binsByCode(db, { code, limit })) {
      hits.push({
        type: "bin",
        fit: fitOf(typed, [row.code]) ?? "prefix",
        id: row.code,
        title: row.code,
        subtitle: row.warehouse,
        state: row.kind,
        at: null,
        of: { type: "warehouse", id: wireId("warehouse", row.warehouse_id) },
        merchant_id: null,
      });
    }
  }
  return bestOf(hits);
}
