import type { ActorType } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import type { CsvCell } from "../../core/csv.ts";
import { wireId } from "../../core/ids.ts";
import { money } from "../../core/money.ts";
import type { PackLevel } from "../../products/product.ts";
import type { MovementType, OutsidePlace } from "../inventory.transitions.ts";
import { binShown, placeShown } from "../warehouses/bin_visibility.ts";

/** A row of the ledger with the SKU, bins, warehouses and lot that it refers to. */
export interface Movement {
  readonly id: number;
  readonly merchant_id: number;
  readonly sku: string;
  readonly type: MovementType;
  readonly quantity: number;
  readonly pack_level: PackLevel | null;
  readonly pack_units: number | null;
  readonly from_bin: string | null;
  readonly to_bin: string | null;
  readonly to_place: OutsidePlace | null;
  readonly from_warehouse_id: number | null;
  readonly to_warehouse_id: number | null;
  readonly from_balance: number | null;
  readonly to_balance: number | null;
  readonly lot_number: string | null;
  readonly reason: string;
  readonly notes: string | null;
  readonly reference_type: string | null;
  readonly reference_id: string | null;
  readonly unit_cost_cents: number | null;
  readonly unit_cost_currency: string | null;
  readonly confirmed: boolean;
  readonly actor_type: ActorType;
  readonly actor_id: string;
  readonly created_at: number;
}

/** The cost of one unit, in minor units of its currency. */
export interface UnitCost {
  readonly cents: number;
  readonly currency: string;
}

/** The movement as the API shows it. `balance_after` is what was on hand in `bin` and lot right after it. */
export function movementView(movement: Movement, shows_bins: boolean) {
  const { id, to_place, from_balance, to_balance, reference_type, reference_id } = movement;
  const { from_bin, to_bin, from_warehouse_id, to_warehouse_id } = movement;
  const { unit_cost_cents, unit_cost_currency: currency, pack_level: level, pack_units: units } = movement;
  const placeOf = (bin: string | null, warehouse_id: number | null) =>
    bin === null ? null : placeShown(bin, warehouse_id ?? 0, shows_bins);
  const from = placeOf(from_bin, from_warehouse_id);
  const warehouse_id = to_warehouse_id ?? from_warehouse_id;
  return {
    id: wireId("movement", id),
    merchant_id: wireId("merchant", movement.merchant_id),
    sku: movement.sku,
    type: movement.type,
    quantity: movement.quantity,
    pack: level === null || units === null ? null : { level, quantity: units, count: movement.quantity / units },
    warehouse_id: wireId("warehouse", warehouse_id ?? 0),
    // Units from another warehouse were in transit.
    from_location: from ?? (movement.type === "transfer" ? "in_transit" : null),
    to_location: placeOf(to_bin, to_warehouse_id) ?? to_place ?? "",
    bin: binShown(to_bin ?? from_bin ?? "", shows_bins),
    balance_after: to_balance ?? from_balance ?? 0,
    lot_number: movement.lot_number,
    reason: movement.reason,
    notes: movement.notes,
    reference: reference_type === null ? null : { type: reference_type, id: reference_id ?? "" },
    unit_cost: unit_cost_cents === null || currency === null ? null : money(unit_cost_cents, currency),
    currency,
    confirmed: movement.confirmed,
    actor: { type: movement.actor_type, id: movement.actor_id },
    created_at: iso(movement.created_at),
  };
}

/** The columns of the movements CSV. */
export const movementColumns = [
  "id",
  "created_at",
  "sku",
  "type",
  "quantity",
  "warehouse_id",
  "from_location",
  "to_location",
  "bin",
  "balance_after",
  "lot_number",
  "reason",
  "notes",
  "reference_type",
  "reference_id",
  "unit_cost",
  "confirmed",
  "actor_type",
  "actor_id",
  "merchant_id",
  "currency",
  "pack_level",
  "pack_quantity",
  "pack_count",
] as const;

/** The movement as a row of `movementColumns`. */
export function movementCells(movement: Movement, shows_bins: boolean): readonly CsvCell[] {
  const { reference, actor, pack, ...view } = movementView(movement, shows_bins);
  const row: Record<(typeof movementColumns)[number], CsvCell> = {
    ...view,
    reference_type: reference?.type ?? null,
    reference_id: reference?.id ?? null,
    actor_type: actor.type,
    actor_id: actor.id,
    pack_level: pack?.level ?? null,
    pack_quantity: pack?.quantity ?? null,
    pack_count: pack?.count ?? null,
  };
  return movementColumns.map((name) => row[name]);
}
