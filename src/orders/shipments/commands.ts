import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import type { Order } from "../order.ts";
import type { Carriage, Shipment, ShipmentLine } from "./shipment.ts";

/** A parcel together with its order, as a command left them. */
export interface Parcel {
  readonly order: Order;
  readonly shipment: Shipment;
}

export declare function openShipment(
  tx: Tx,
  order_id: number,
  wanted: Carriage & { readonly units?: readonly ShipmentLine[] | null },
  actor: Actor,
): Promise<Parcel>;
export declare function labelShipment(
  tx: Tx,
  shipment_id: number,
  tracking: { readonly tracking_number: string; readonly tracking_url: string | null },
): Promise<void>;
export declare function voidShipment(tx: Tx, shipment_id: number, actor: Actor): Promise<Parcel>;
export declare function handOver(
  tx: Tx,
  shipment_id: number,
  actor: Actor,
  how: { readonly by_carrier: boolean },
): Promise<Parcel>;
export declare function deliverShipment(tx: Tx, shipment_id: number, actor: Actor): Promise<Parcel>;
