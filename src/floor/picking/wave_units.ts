// What a scan means among the units that are left to pick, and its refusals.
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { type PackKind, packSize } from "../../products/product.ts";
import type { UnitsToPick } from "./wave.ts";

/** Units for one order. */
export interface UnitShare {
  readonly order_id: number;
  readonly order_number: string;
  readonly merchant_id: number;
  readonly quantity: number;
}

/** A product of the orders of a wave. */
export interface WaveProduct {
  readonly product_id: number;
  readonly merchant_id: number;
  readonly sku: string;
  readonly name: string;
}

/**
 * Which of several merchants' products with this SKU is meant: the one that is left to pick for the order, or in the
 * bin. Undefined if there is none. Refuses: ambiguous_barcode.
 */
export function productNamed(
  named: readonly WaveProduct[],
  left: readonly UnitsToPick[],
  { sku, bin, order_id }: { readonly sku: string; readonly bin: string | null; readonly order_id: number | null },
): WaveProduct | undefined {
  const among = (units: readonly UnitsToPick[]) =>
    named.filter(({ product_id }) => units.some((unit) => unit.product_id === product_id));
  const choices = [
    among(left.filter((unit) => unit.order_id === order_id)),
    among(left.filter((unit) => unit.bin === bin)),
    named,
  ];
  const [nearest = []] = choices.filter((some) => some.length > 0);
  if (nearest.length < 2) return nearest[0];
  throw new Fault("ambiguous_barcode", `${sku} is the SKU of several products. Scan the tote first.`, {
    scanned: sku,
    products: nearest.map(({ product_id, merchant_id, name }) => {
      return { product_id: wireId("product", product_id), merchant_id: wireId("merchant", merchant_id), sku, name };
    }),
  });
}

/**
 * The only lot that is planned in a bin; undefined if there is none. Refuses: ambiguous_stock (there are several).
 */
export function onlyLot(units: readonly UnitsToPick[], bin: string): string | undefined {
  const here = units.filter((unit) => unit.bin === bin);
  const lots = new Set(here.map((unit) => unit.lot_number));
  if (lots.size < 2) return here[0]?.lot_number ?? undefined;
  throw new Fault("ambiguous_stock", `Several lots of ${here[0]?.sku} are to be taken from ${bin}. Scan the lot.`, {
    candidates: here.map((unit) => ({ bin, lot_number: unit.lot_number, quantity: unit.quantity })),
  });
}

/** Shares units out: first to what is planned there, then to the other units, each in the given order. */
export function distribute(
  units: readonly UnitsToPick[],
  isPlanned: (unit: UnitsToPick) => boolean,
  quantity: number,
): { readonly shares: UnitShare[]; readonly over: number } {
  const shares = new Map<number, UnitShare>();
  let over = quantity;
  for (const unit of [...units.filter(isPlanned), ...units.filter((one) => !isPlanned(one))]) {
    const taken = Math.min(over, unit.quantity);
    if (taken === 0) continue;
    over -= taken;
    const { order_id, order_number, merchant_id } = unit;
    const known = shares.get(order_id)?.quantity ?? 0;
    shares.set(order_id, { order_id, order_number, merchant_id, quantity: known + taken });
  }
  return { shares: [...shares.values()], over };
}

const spotsOf = (units: readonly UnitsToPick[]) =>
  units.slice(0, 20).map(({ bin, sku, lot_number, quantity }) => ({ bin, sku, lot_number, quantity }));

/** The refusal of a bin that holds none of the units. */
export function wrongBin(read: string, units: readonly UnitsToPick[]): Fault {
  const bins = [...new Set(units.map(({ bin }) => bin))];
  const where = bins.length === 0 ? "It is not a bin of this warehouse" : `Go to ${bins.slice(0, 5).join(" or ")}`;
  return new Fault("wrong_bin", `${read} is the wrong bin. ${where}.`, { scanned: read, expected: spotsOf(units) });
}

/** The refusal of an item that no order of the wave needs. */
export function wrongItem(read: string, bin: string | null, left: readonly UnitsToPick[]): Fault {
  const here = left.filter((unit) => unit.bin === bin);
  const skus = [...new Set(here.map(({ sku }) => sku))];
  const what = skus.length === 0 ? "Nothing of it is to be picked here" : `Take ${skus.slice(0, 5).join(" or ")}`;
  return new Fault("wrong_item", `${read} is the wrong item. ${what}.`, { scanned: read, expected: spotsOf(here) });
}

/** The refusal of a lot that is not planned and cannot be taken instead. */
export function wrongLot(read: string, here: readonly UnitsToPick[]): Fault {
  const lots = [...new Set(here.map(({ lot_number }) => lot_number))].join(" or ");
  return new Fault("wrong_lot", `${read} is the wrong lot. Take ${lots}.`, { scanned: read, expected: spotsOf(here) });
}

/** The refusal of a tote, and those that would be right. */
export function wrongTote(read: string, why: string, expected: readonly string[] = []): Fault {
  const right = expected.length === 0 ? "" : ` Use ${expected.slice(0, 5).join(" or ")}.`;
  return new Fault("wrong_tote", `Tote ${read} ${why}.${right}`, { scanned: read, expected });
}

/** The refusal of more units than are left to pick, by single units or by a pack. */
export function surplus(sku: string, read: number, expected: number, pack: PackKind | null): Fault {
  const some = `Only ${expected} of ${sku} ${expected === 1 ? "is" : "are"} needed`;
  const left = expected === 0 ? `No more units of ${sku} are needed` : some;
  const message = [`${left}, not ${read}.`, pack && packSize(pack)].filter(Boolean).join(" ");
  return new Fault("surplus_item", message, { sku, quantity: read, expected });
}
