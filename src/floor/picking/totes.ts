import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { lockWarehouse } from "../../inventory/warehouses/warehouses.sql.ts";
import { warehouseNamed } from "../../inventory/warehouses/warehouses.ts";
import type { Tx } from "../../storage/database.ts";
import type { CreateTotes, UpdateTote } from "./tote.schema.ts";
import { numberedCodes, type Tote } from "./tote.ts";
import { deleteTote, findTote, getTote, insertTotes, listTotesOf, lockTote, saveTote } from "./totes.sql.ts";

/** Keeps others from using a code that is free until the transaction ends. Refuses: duplicate_code. */
async function refuseTaken(tx: Tx, warehouse_id: number, code: string, field: string): Promise<void> {
  await tx.memo(`floor.totes:${warehouse_id}`, () => lockWarehouse(tx, warehouse_id));
  const other = await findTote(tx, warehouse_id, code);
  if (other === null) return;
  throw new Fault("duplicate_code", `Another tote has the code ${other.code}: ${wireId("tote", other.id)}.`, {
    fields: [{ field, code: "duplicate_code", message: `is the code of ${wireId("tote", other.id)}` }],
  });
}

/** Creates a tote. Refuses: resource_missing, validation_failed, duplicate_code. */
export async function createTote(
  tx: Tx,
  input: { readonly warehouse_id?: string | number | undefined; readonly code: string },
): Promise<Tote> {
  const warehouse_id = await warehouseNamed(tx, input.warehouse_id, "warehouse_id");
  await refuseTaken(tx, warehouse_id, input.code, "code");
  const [id = 0] = await insertTotes(tx, warehouse_id, [input.code]);
  return getTote(tx, id);
}

/** Creates numbered totes. Refuses: resource_missing, validation_failed, duplicate_code. */
export async function createTotes(tx: Tx, input: CreateTotes): Promise<Tote[]> {
  const warehouse_id = await warehouseNamed(tx, input.warehouse_id, "warehouse_id");
  const codes = numberedCodes(input.prefix, input.first, input.count);
  for (const code of codes) await refuseTaken(tx, warehouse_id, code, "first");
  const totes: Tote[] = [];
  for (const id of await insertTotes(tx, warehouse_id, codes)) totes.push(await getTote(tx, id));
  return totes;
}

/** Changes the code of a tote. Refuses: resource_missing, duplicate_code. */
export async function renameTote(tx: Tx, id: string, { code }: UpdateTote): Promise<Tote> {
  const tote = await lockTote(tx, id);
  if (code === tote.code) return tote;
  if (code.toLowerCase() !== tote.code.toLowerCase()) await refuseTaken(tx, tote.warehouse_id, code, "code");
  await saveTote(tx, tote, { code });
  return getTote(tx, tote.id);
}

/** Deletes a free tote. Refuses: resource_missing, tote_in_use. */
export async function removeTote(tx: Tx, id: string): Promise<Tote> {
  const tote = await lockTote(tx, id);
  if (tote.order_id !== null) throw toteInUse(tote);
  await deleteTote(tx, tote.id);
  return tote;
}

/** The refusal of a tote that holds another order. */
export function toteInUse(tote: Tote): Fault {
  const order_id = wireId("order", tote.order_id ?? 0);
  return new Fault("tote_in_use", `Tote ${tote.code} holds units of order ${tote.order_number} (${order_id}).`, {
    tote: tote.code,
    order_id,
  });
}

const free = { order_id: null, wave_id: null, assigned_at: null, set_aside_at: null } as const;

/** Frees a tote, wherever its units are now. A free tote stays as it is. Refuses: resource_missing. */
export async function releaseTote(tx: Tx, id: string): Promise<Tote> {
  const tote = await lockTote(tx, id);
  if (tote.order_id === null) return tote;
  await saveTote(tx, tote, free);
  return getTote(tx, tote.id);
}

/** Frees the totes of an order, whose units have left them. */
export async function releaseTotesOf(tx: Tx, order_id: number): Promise<void> {
  for (const tote of await listTotesOf(tx, [order_id])) await saveTote(tx, tote, free);
}
