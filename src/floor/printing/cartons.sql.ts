import { Type } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { carton_choices, cartons, packing_sessions } from "../../../db/schema/floor.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { ascending, exactly, recordList, search } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insertIds } from "../../storage/statements.ts";
import { isDuplicate } from "../../storage/storage_errors.ts";
import type { Carton } from "./carton.ts";

/** A carton by its identifier, `ctn_1` or `1`. */
export const { get: getCarton, lock: lockCarton } = recordLookup(cartons, "carton", {
  record: (_db, row): Carton => row,
});

/** Cartons, oldest first. */
export const cartonList = recordList(cartons, {
  filters: {
    active: exactly(cartons.active, Type.Boolean({ description: "True: only those that can be chosen." })),
    search: search("Part of the code or the name.", [cartons.code, cartons.name]),
  },
  order: ascending(cartons.created_at),
  records: (rows): Carton[] => [...rows],
});

/** The fields of a carton that a client sets, and those that follow from them. */
export type CartonFields = Omit<Carton, "id" | "revision" | "created_at" | "updated_at">;

/** Stores a carton, or changes of a locked one; null if its code is taken. */
export async function storeCarton(tx: Tx, before: Carton | null, fields: CartonFields): Promise<Carton | null> {
  const stamps = { revision: (before?.revision ?? 0) + 1, updated_at: tx.now };
  const row = { ...fields, ...stamps, created_at: before?.created_at ?? tx.now };
  try {
    if (before === null) {
      const [id = 0] = await insertIds(tx, cartons, [row]);
      return { id, ...row };
    }
    await tx.sql.update(cartons).set(row).where(eq(cartons.id, before.id));
    return { id: before.id, ...row };
  } catch (error) {
    if (isDuplicate(error, "cartons", "cartons_code", [])) return null;
    throw error;
  }
}

/** Whether parcels were packed in a carton. */
export async function isCartonUsed(db: Db, { id }: Carton): Promise<boolean> {
  const parcels = await db.sql.$count(packing_sessions, eq(packing_sessions.carton_id, id));
  return parcels > 0 || (await db.sql.$count(carton_choices, eq(carton_choices.carton_id, id))) > 0;
}

/** Deletes a carton. */
export async function removeCarton(tx: Tx, { id }: Carton): Promise<void> {
  await tx.sql.delete(cartons).where(eq(cartons.id, id));
}
