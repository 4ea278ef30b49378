// Search results in inventory: lots, bins, receipts, transfers, counts and products.
import { and, asc, desc, eq, isNotNull, or, type SQL, sql as template } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { amongTexts, begins, columnsOf, folded, holds, list, opaque } from "../../../db/kit.ts";
import { counts } from "../../../db/schema/counts.ts";
import { lots } from "../../../db/schema/inventory.ts";
import { product_barcodes, products } from "../../../db/schema/products.ts";
import { receipts } from "../../../db/schema/receipts.ts";
import { transfers } from "../../../db/schema/transfers.ts";
import { bins, warehouses } from "../../../db/schema/warehouses.ts";
import { type IdNoun, wireId } from "../../core/ids.ts";
import type { Db } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { bestOf, fitOf, type Hit, isPart, type SearchText } from "./search_hit.ts";

const lot = {
  ...columnsOf(lots, "id", "merchant_id", "lot_number", "product_id"),
  state: lots.status,
  at: lots.received_date,
  sku: products.sku,
  name: products.name,
};
const lotById = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select(lot).from(lots).innerJoin(products, eq(products.id, lots.product_id)).where(eq(lots.id, a.id)),
);
const lotsByNumber = prepared((sql, a: StatementArgs<{ code: string; limit: number }>) =>
  sql
    .select(lot)
    .from(lots)
    .innerJoin(products, eq(products.id, lots.product_id))
    .where(begins(folded(lots.lot_number), a.code))
    .orderBy(asc(folded(lots.lot_number)), asc(lots.id))
    .limit(opaque(a.limit)),
);

/** The lots with this number, and those whose number begins with it. */
export async function findLotHits(db: Db, typed: SearchText, limit: number): Promise<Hit[]> {
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
        parent: { type: "product", id: wireId("product", product_id) },
        merchant_id: row.merchant_id,
      };
    }),
  );
}

// The condition is spelled out as in the index of these bins, so that the database uses it.
const binsByCode = prepared((sql, a: StatementArgs<{ code: string; limit: number }>) =>
  sql
    .select({ code: bins.code, kind: bins.kind, warehouse_id: bins.warehouse_id, warehouse: warehouses.name })
    .from(bins)
    .innerJoin(warehouses, eq(warehouses.id, bins.warehouse_id))
    .where(and(template`${bins.kind} <> 'staging'`, begins(folded(bins.code), a.code)))
    .orderBy(asc(folded(bins.code)), asc(bins.id))
    .limit(opaque(a.limit)),
);

/** The bins with this code in any warehouse, and those whose code begins with it. */
export async function findBinHits(db: Db, typed: SearchText, limit: number): Promise<Hit[]> {
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
        parent: { type: "warehouse", id: wireId("warehouse", row.warehouse_id) },
        merchant_id: null,
      });
    }
  }
  return bestOf(hits);
}

// Text within a name is searched only among this many of the newest records.
const newest_movements_max = 1000;

interface MovementHitRow {
  readonly id: number;
  readonly merchant_id: number | null;
  readonly name: string | null;
  readonly more: string | null;
  readonly status: string;
  readonly created_at: number;
}

/** The columns of a search: those of every record, and those that records of the type have. */
interface MovementColumns {
  readonly id: AnyPgColumn;
  readonly status: AnyPgColumn;
  readonly created_at: AnyPgColumn;
  readonly merchant_id?: AnyPgColumn;
  readonly name?: AnyPgColumn;
  readonly more?: AnyPgColumn;
}

/**
 * Declares a search for records by id, by the beginning of a text in the columns `begin`, and by the text of `name` and
 * `more` within new ones.
 */
function movementSearch(type: "receipt" | "transfer" | "count", shown: MovementColumns, begin: readonly AnyPgColumn[]) {
  const { table } = shown.id;
  const columns: Record<string, AnyPgColumn> = { ...shown };
  const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
    sql.select(columns).from(table).where(eq(shown.id, a.id)),
  );
  const beginning = begin.map((column) =>
    prepared((sql, a: StatementArgs<{ code: string; limit: number }>) =>
      sql
        .select(columns)
        .from(table)
        .where(and(isNotNull(column), begins(folded(column), a.code)))
        .orderBy(asc(folded(column)), desc(shown.id))
        .limit(opaque(a.limit)),
    ),
  );
  return async (db: Db, typed: SearchText, limit: number): Promise<Hit[]> => {
    const rows = [...(await byId(db, { id: typed.idOf(type) }))];
    for (const code of typed.codes) for (const begun of beginning) rows.push(...(await begun(db, { code, limit })));
    if (isPart(typed)) {
      const newest = db.sql
        .select(columns)
        .from(table)
        .orderBy(desc(shown.id))
        .limit(newest_movements_max)
        .as("newest");
      const texts = [newest["name"], newest["more"]].filter((column) => column !== undefined);
      const within = typed.codes.flatMap((code) => texts.map((column) => holds(column, code)));
      const latest = desc(newest["id"] as AnyPgColumn);
      rows.push(
        ...(await db.sql
          .select()
          .from(newest)
          .where(or(...within))
          .orderBy(latest)
          .limit(limit)),
      );
    }
    const absent = { merchant_id: null, name: null, more: null };
    return hitsOf(
      type,
      rows.map((row) => ({ ...absent, ...row }) as unknown as MovementHitRow),
      typed,
    );
  };
}

const common = ({ id, status, created_at }: Pick<MovementColumns, "id" | "status" | "created_at">) => ({
  id,
  status,
  created_at,
});

/** Receipts whose reference or supplier equals the text, begins with it or, among new ones, contains it. */
export const findReceiptHits = movementSearch(
  "receipt",
  { ...common(receipts), merchant_id: receipts.merchant_id, name: receipts.reference, more: receipts.supplier },
  [receipts.reference, receipts.supplier],
);

/** Transfers whose reference equals the text, begins with it or, among new ones, contains it. */
export const findTransferHits = movementSearch(
  "transfer",
  { ...common(transfers), merchant_id: transfers.merchant_id, name: transfers.reference },
  [transfers.reference],
);

/** The count with this id, and new counts whose notes contain the text. */
export const findCountHits = movementSearch("count", { ...common(counts), more: counts.notes }, []);

function hitsOf(type: "receipt" | "transfer" | "count", rows: readonly MovementHitRow[], typed: SearchText): Hit[] {
  const noun: IdNoun = type;
  return bestOf(
    rows.map((row) => {
      const id = wireId(noun, row.id);
      const fit = row.id === typed.idOf(noun) ? "exact" : (fitOf(typed, [row.name, row.more]) ?? "part");
      const title = row.name ?? id;
      const { merchant_id, status: state, created_at: at } = row;
      return { type, fit, id, title, subtitle: row.more ?? "", state, at, parent: null, merchant_id };
    }),
  );
}

// Text within a name is searched only among the newest products, up to this number.
const newest_products_max = 5000;

const shown = columnsOf(products, "id", "merchant_id", "sku", "name", "status", "created_at");
type ProductHitRow = Pick<typeof products.$inferSelect, keyof typeof shown>;

const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select(shown).from(products).where(eq(products.id, a.id)),
);
const bySku = prepared((sql, a: StatementArgs<{ code: string; limit: number }>) =>
  sql
    .select(shown)
    .from(products)
    .where(begins(folded(products.sku), a.code))
    .orderBy(asc(folded(products.sku)))
    .limit(opaque(a.limit)),
);
const byName = prepared((sql, a: StatementArgs<{ code: string; limit: number }>) =>
  sql
    .select(shown)
    .from(products)
    .where(begins(folded(products.name), a.code))
    .orderBy(asc(folded(products.name)))
    .limit(opaque(a.limit)),
);
const barcode = { ...shown, barcode: product_barcodes.value };
const byBarcode = prepared((sql, a: StatementArgs<{ values: string }>) =>
  sql
    .select(barcode)
    .from(product_barcodes)
    .innerJoin(products, eq(products.id, product_barcodes.product_id))
    .where(amongTexts(product_barcodes.value, a.values)),
);
const byBarcodeBeginning = prepared((sql, a: StatementArgs<{ value: string; limit: number }>) =>
  sql
    .select(barcode)
    .from(product_barcodes)
    .innerJoin(products, eq(products.id, product_barcodes.product_id))
    .where(begins(product_barcodes.value, a.value))
    .orderBy(asc(product_barcodes.value))
    .limit(opaque(a.limit)),
);

/** Products whose SKU, name or barcode equals the text, begins with it or contains each of its words. */
export async function findProductHits(db: Db, typed: SearchText, limit: number): Promise<Hit[]> {
  const scanned = await byBarcode(db, { values: list(typed.barcodes) });
  const rows: ProductHitRow[] = [...(await byId(db, { id: typed.idOf("product") }))];
  for (const code of typed.codes) {
    rows.push(...(await bySku(db, { code, limit })), ...(await byName(db, { code, limit })));
  }
  const [value = ""] = typed.barcodes;
  rows.push(...(await byBarcodeBeginning(db, { value, limit })));
  const exact = scanned.map((row) => hitOf(row, "exact"));
  const begun = rows.map((row) =>
    hitOf(row, row.id === typed.idOf("product") ? "exact" : (fitOf(typed, [row.sku, row.name]) ?? "prefix")),
  );
  const parts = isPart(typed) ? (await holding(db, typed, limit)).map((row) => hitOf(row, "part")) : [];
  return bestOf([...exact, ...begun, ...parts]);
}

/** The newest products with each word in the SKU or the name, newest first. */
function holding(db: Db, { codes }: SearchText, limit: number): Promise<ProductHitRow[]> {
  const newest = db.sql
    .select(shown)
    .from(products)
    .orderBy(desc(products.created_at), desc(products.id))
    .limit(newest_products_max)
    .as("newest");
  const all = codes.map((code) => and(...code.split(" ").map((word) => either(newest.sku, newest.name, word))));
  return db.sql
    .select({
      id: newest.id,
      merchant_id: newest.merchant_id,
      sku: newest.sku,
      name: newest.name,
      status: newest.status,
      created_at: newest.created_at,
    })
    .from(newest)
    .where(and(isNotNull(newest.id), or(...all)))
    .orderBy(desc(newest.created_at), desc(newest.id))
    .limit(limit);
}

const either = (sku: Parameters<typeof holds>[0], name: Parameters<typeof holds>[0], word: string): SQL | undefined =>
  or(holds(sku, word), holds(name, word));

function hitOf({ id, merchant_id, sku, name, status, created_at }: ProductHitRow, fit: Hit["fit"]): Hit {
  return {
    type: "product",
    fit,
    id: wireId("product", id),
    title: sku,
    subtitle: name,
    state: status,
    at: created_at,
    parent: null,
    merchant_id,
  };
}
