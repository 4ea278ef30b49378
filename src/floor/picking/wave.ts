import type { ActorType } from "../../core/actor.ts";
import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { onFirstUse } from "../../core/memoize.ts";
import { dayEndTextOrNull } from "../../core/time_zone.ts";
import { type ActionOf, allowedActions } from "../../core/transitions.ts";
import type { OrderStatus } from "../../orders/order.transitions.ts";
import { publicStatus } from "../../orders/order.ts";
import { type WaveMode, type WaveStatus, waveTransitions } from "../floor.transitions.ts";
import type { Tote } from "./tote.ts";

/** Orders that are picked in one walk. */
export interface Wave {
  readonly id: number;
  readonly warehouse_id: number;
  readonly mode: WaveMode;
  readonly status: WaveStatus;
  readonly filters: Record<string, unknown>;
  readonly limits: Record<string, number>;
  readonly actor_type: ActorType;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly released_at: number | null;
  readonly picked_at: number | null;
  readonly closed_at: number | null;
  readonly cancelled_at: number | null;
}

/** An order of a wave. */
export interface WaveOrder {
  readonly wave_id: number;
  readonly order_id: number;
  readonly order_number: string;
  readonly merchant_id: number;
  readonly position: number;
  /** Whether it still belongs to the wave. */
  readonly open: boolean;
  readonly status: OrderStatus;
  readonly held: boolean;
  readonly backordered: number;
  /** Units that are not picked, whether they can be picked now or not. */
  readonly unpicked: number;
}

/** Units of one stock item that are left to pick for an order of a wave. */
export interface UnitsToPick {
  readonly order_id: number;
  readonly order_number: string;
  readonly merchant_id: number;
  readonly position: number;
  readonly product_id: number;
  readonly sku: string;
  readonly name: string;
  readonly stock_item_id: number;
  readonly bin: string;
  readonly pick_order: number;
  readonly lot_number: string | null;
  readonly expires_on: number | null;
  readonly quantity: number;
}

/** How far a wave is. */
export interface WaveProgress {
  readonly orders: number;
  readonly orders_left: number;
  readonly units: number;
  /** Units that can be picked now. */
  readonly units_left: number;
  /** Units that are not picked and cannot be picked now. */
  readonly units_waiting: number;
  readonly stops_left: number;
}

/** How large a wave is. */
export interface WaveSize {
  readonly orders: number;
  /** Units of its orders when they came into it. */
  readonly units: number;
  /** Units that are not picked, whether they can be picked now or not. */
  readonly unpicked: number;
}

/** Who picked units of a wave. */
export interface WavePicker {
  readonly type: ActorType;
  readonly id: string;
  readonly name: string;
  readonly units: number;
}

/** A stop of a wave's walk: units of one stock item, for one order or several. */
interface WaveStop {
  readonly first: UnitsToPick;
  readonly quantity: number;
  /** In the order of the wave. */
  readonly shares: readonly UnitsToPick[];
}

// Bin A-2 comes before A-10.
const collator = onFirstUse(() => new Intl.Collator("en", { numeric: true }));

/**
 * The stops where units are left, in walking order. The walk begins after the place where the picker is (null: at its
 * start), and then continues with what it has passed.
 */
export function stopsOf(units: readonly UnitsToPick[], at: Pick<UnitsToPick, "pick_order" | "bin"> | null): WaveStop[] {
  const places = Map.groupBy(units, ({ stock_item_id }) => stock_item_id);
  const compared = (a: Pick<UnitsToPick, "pick_order" | "bin">, b: Pick<UnitsToPick, "pick_order" | "bin">) =>
    a.pick_order - b.pick_order || collator().compare(a.bin, b.bin);
  const stops = [...places.values()].flatMap((here) => {
    const shares = here.toSorted((a, b) => a.position - b.position);
    const [first] = shares;
    return first === undefined ? [] : { first, shares, quantity: sumOf(shares) };
  });
  stops.sort((a, b) => {
    const passed = at === null ? 0 : Number(compared(a.first, at) < 0) - Number(compared(b.first, at) < 0);
    return passed || compared(a.first, b.first) || collator().compare(a.first.sku, b.first.sku) || earlier(a, b);
  });
  return stops;
}

const earlier = (a: WaveStop, b: WaveStop) => a.first.stock_item_id - b.first.stock_item_id;

/** The sum of these units. */
export function sumOf(units: readonly { readonly quantity: number }[]): number {
  return units.reduce((sum, { quantity }) => sum + quantity, 0);
}

/** The progress of a wave of this size, with these units left. */
export function progressOf(size: WaveSize, left: readonly UnitsToPick[]): WaveProgress {
  return progressWith(size, {
    orders_left: new Set(left.map(({ order_id }) => order_id)).size,
    units_left: sumOf(left),
    stops_left: new Set(left.map(({ stock_item_id }) => stock_item_id)).size,
  });
}

/** The progress of a wave of this size, with what is left to pick now. */
export function progressWith(
  { orders, units, unpicked }: WaveSize,
  left: Pick<WaveProgress, "orders_left" | "units_left" | "stops_left">,
): WaveProgress {
  const units_waiting = Math.max(0, unpicked - left.units_left);
  return { orders, units: Math.max(units, left.units_left + units_waiting), units_waiting, ...left };
}

/** What clients can do with a wave. The other transitions follow from picking. */
type WaveAction = Extract<ActionOf<typeof waveTransitions>, "release" | "close" | "cancel">;
const clientActions: readonly string[] = ["release", "close", "cancel"] satisfies WaveAction[];

function actionsOf(status: WaveStatus): WaveAction[] {
  const actions = allowedActions<WaveStatus, typeof waveTransitions>(waveTransitions, status, false);
  return actions.filter((action): action is WaveAction => clientActions.includes(action));
}

/** A wave as lists show it. */
export function plainWaveView(wave: Wave, progress: WaveProgress, ship_by: number | null) {
  return {
    id: wireId("wave", wave.id),
    warehouse_id: wireId("warehouse", wave.warehouse_id),
    mode: wave.mode,
    status: wave.status,
    filters: wave.filters,
    limits: wave.limits,
    progress,
    ship_by: isoOrNull(ship_by),
    allowed_actions: actionsOf(wave.status),
    created_by: { type: wave.actor_type, id: wave.actor_id, name: wave.actor_name },
    revision: wave.revision,
    created_at: iso(wave.created_at),
    updated_at: iso(wave.updated_at),
    released_at: isoOrNull(wave.released_at),
    picked_at: isoOrNull(wave.picked_at),
    closed_at: isoOrNull(wave.closed_at),
    cancelled_at: isoOrNull(wave.cancelled_at),
  };
}

/** The codes of totes by their order. */
export type TotesByOrder = ReadonlyMap<number, readonly string[]>;

/** The codes of these totes by their order. */
export function codesByOrder(totes: readonly Tote[]): TotesByOrder {
  const of = Map.groupBy(totes, ({ order_id }) => order_id ?? 0);
  return new Map([...of].map(([order_id, own]) => [order_id, own.map(({ code }) => code)]));
}

/** An order of a wave, as every response names it. */
export function orderNamed(order: Pick<WaveOrder, "order_id" | "order_number" | "merchant_id">) {
  return {
    order_id: wireId("order", order.order_id),
    order_number: order.order_number,
    merchant_id: wireId("merchant", order.merchant_id),
  };
}

/** The orders of a wave as its detail shows them. */
export function waveOrdersView(orders: readonly WaveOrder[], left: readonly UnitsToPick[], totes: TotesByOrder) {
  const of = Map.groupBy(left, ({ order_id }) => order_id);
  return orders.map((order) => {
    const units_left = sumOf(of.get(order.order_id) ?? []);
    return {
      ...orderNamed(order),
      position: order.position,
      status: publicStatus(order),
      open: order.open,
      units_left,
      units_waiting: order.open ? Math.max(0, order.unpicked - units_left) : 0,
      totes: [...(totes.get(order.order_id) ?? [])],
    };
  });
}

/** A stop as the API shows it. */
export function stopView({ first, quantity, shares }: WaveStop, totes: TotesByOrder) {
  const { bin, pick_order, sku, name, lot_number } = first;
  return {
    bin,
    pick_order,
    product_id: wireId("product", first.product_id),
    sku,
    name,
    lot_number,
    expiration_date: dayEndTextOrNull(first.expires_on),
    quantity,
    orders: shares.map((share) => ({
      ...orderNamed(share),
      quantity: share.quantity,
      totes: [...(totes.get(share.order_id) ?? [])],
    })),
  };
}

/** Open orders of a wave that have to wait, as its walk shows them. */
export function waitingView(
  orders: readonly WaveOrder[],
  isPickable: (order: WaveOrder) => boolean,
  totes: TotesByOrder,
) {
  const waiting = orders.filter((order) => order.open && (order.backordered > 0 || !isPickable(order)));
  return waiting.map((order) => ({
    ...orderNamed(order),
    status: publicStatus(order),
    backordered: order.backordered,
    totes: [...(totes.get(order.order_id) ?? [])],
  }));
}
