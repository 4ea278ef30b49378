// Receipts, transfers and stock counts.
import { and, asc, desc, eq, isNotNull, or } from "drizzle-orm";
import { begins, folded, given, holds } from "../../../db/kit.ts";
import { counts } from "../../../db/schema/counts.ts";
import { receipts } from "../../../db/schema/receipts.ts";
import { transfers } from "../../../db/schema/transfers.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import { type Noun, wireId } from "../../kit/ids.ts";
import { bestOf, fitOf, type Hit, isPart, type Typed } from "../rules.ts";

// A text within names is looked for in so many of the newest records.
const newest_max = 1000;

interface Row {
  readonly id: number;
  readonly merchant_id: number | null;
  readonly name: string | null;
  readonly more: string | null;
  readonly status: string;
  readonly created_at: number;
}

const receipt = {
  id: receipts.id,
  merchant_id: receipts.merchant_id,
  name: receipts.reference,
  more: receipts.supplier,
  status: receipts.status,
  created_at: receipts.created_at,
};
const receiptById = prepared((sql, a: Args<{ id: number }>) =>
  sql.select(receipt).from(receipts).where(eq(receipts.id, a.id)),
);
const receiptsByReference = prepared((sql, a: Args<{ code: string; limit: number }>) =>
  sql
    .select(receipt)
    .from(receipts)
    .where(and(isNotNull(receipts.reference), begins(folded(receipts.reference), a.code)))
    .orderBy(asc(folded(receipts.reference)), desc(receipts.id))
    .limit(given(a.limit)),
);
const receiptsBySupplier = prepared((sql, a: Args<{ code: string; limit: number }>) =>
  sql
    .select(receipt)
    .from(receipts)
    .where(and(isNotNull(receipts.supplier), begins(folded(receipts.supplier), a.code)))
    .orderBy(asc(folded(receipts.supplier)), desc(receipts.id))
    .limit(given(a.limit)),
);

/** The receipts with this reference or supplier, those whose name begins with it, and new ones that contain it. */
export async function findReceiptHits(db: Db, typed: Typed, limit: number): Promise<Hit[]> {
  const rows: Row[] = [...(await receiptById(db, { id: typed.idOf("receipt") }))];
  for (const code of typed.codes) {
    rows.push(...(await receiptsByReference(db, { code, limit })), ...(await receiptsBySupplier(db, { code, limit })));
  }
  if (isPart(typed)) {
    const newest = db.sql.select(receipt).from(receipts).orderBy(desc(receipts.id)).limit(newest_max).as("newest");
    const within = typed.codes.map((code) => or(holds(newest.name, code), holds(newest.more, code)));
    rows.push(
      ...(await db.sql
        .select()
        .from(newest)
        .where(or(...within))
        .orderBy(desc(newest.id))
        .limit(limit)),
    );
  }
  return hitsOf("receipt", rows, typed);
}

const transfer = {
  id: transfers.id,
  merchant_id: transfers.merchant_id,
  name: transfers.reference,
  status: transfers.status,
  created_at: transfers.created_at,
};
const transferById = prepared((sql, a: Args<{ id: number }>) =>
  sql.select(transfer).from(transfers).where(eq(transfers.id, a.id)),
);
const transfersByReference = prepared((sql, a: Args<{ code: string; limit: number }>) =>
  sql
    .select(transfer)
    .from(transfers)
    .where(and(isNotNull(transfers.reference), begins(folded(transfers.reference), a.code)))
    .orderBy(asc(folded(transfers.reference)), desc(transfers.id))
    .limit(given(a.limit)),
);

/** The transfers with this reference, those whose reference begins with it, and new ones that contain it. */
export async function findTransferHits(db: Db, typed: Typed, limit: number): Promise<Hit[]> {
  const rows = [...(await transferById(db, { id: typed.idOf("transfer") }))];
  for (const code of typed.codes) rows.push(...(await transfersByReference(db, { code, limit })));
  if (isPart(typed)) {
    const newest = db.sql.select(transfer).from(transfers).orderBy(desc(transfers.id)).limit(newest_max).as("newest");
    const within = typed.codes.map((code) => holds(newest.name, code));
    rows.push(
      ...(await db.sql
        .select()
        .from(newest)
        .where(or(...within))
        .orderBy(desc(newest.id))
        .limit(limit)),
    );
  }
  return hitsOf(
    "transfer",
    rows.map((row) => ({ ...row, more: null })),
    typed,
  );
}

const count = { id: counts.id, more: counts.notes, status: counts.status, created_at: counts.created_at };
const countById = prepared((sql, a: Args<{ id: number }>) => sql.select(count).from(counts).where(eq(counts.id, a.id)));

/** The count with this id, and new ones whose notes contain it. */
export async function findCountHits(db: Db, typed: Typed, limit: number): Promise<Hit[]> {
  const rows = [...(await countById(db, { id: typed.idOf("count") }))];
  if (isPart(typed)) {
    const newest = db.sql.select(count).from(counts).orderBy(desc(counts.id)).limit(newest_max).as("newest");
    const within = typed.codes.map((code) => holds(newest.more, code));
    rows.push(
      ...(await db.sql
        .select()
        .from(newest)
        .where(or(...within))
        .orderBy(desc(newest.id))
        .limit(limit)),
    );
  }
  return hitsOf(
    "count",
    rows.map((row) => ({ ...row, merchant_id: null, name: null })),
    typed,
  );
}

function hitsOf(type: "receipt" | "transfer" | "count", rows: readonly Row[], typed: Typed): Hit[] {
  const noun: Noun = type;
  return bestOf(
    rows.map((row) => {
      const id = wireId(noun, row.id);
      const fit = row.id === typed.idOf(noun) ? "exact" : (fitOf(typed, [row.name, row.more]) ?? "part");
      const title = row.name ?? id;
      const { merchant_id, status: state, created_at: at } = row;
      return { type, fit, id, title, subtitle: row.more ?? "", state, at, of: null, merchant_id };
    }),
  );
}
