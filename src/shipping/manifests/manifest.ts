import type { Actor } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import { add } from "../../core/decimals.ts";
import { wireId } from "../../core/ids.ts";
import type { CompleteAddress } from "../../core/postal_address.ts";
import type { PlainWarehouse } from "../../inventory/warehouses/warehouse.ts";
import type { ShipmentStatus } from "../../orders/order.transitions.ts";
import { isVoided, type LabelStatus } from "../labels/label.transitions.ts";
import type { ParcelPackage } from "../parcel.ts";
import { gramsOf, readWeight } from "../parcel.ts";

/** One parcel on a manifest. */
export interface ManifestParcel {
  readonly label_id: number;
  readonly shipment_id: number;
  readonly order_id: number;
  readonly merchant_id: number;
  readonly order_number: string;
  readonly tracking_number: string;
  readonly service: string;
  /** The status of its label. A label that was voided later stays listed and is marked. */
  readonly status: LabelStatus;
  readonly shipment_status: ShipmentStatus;
  readonly package: ParcelPackage;
  readonly to_address: CompleteAddress;
}

/** A manifest without its parcels. */
export interface PlainManifest {
  readonly id: number;
  readonly warehouse: PlainWarehouse;
  readonly carrier: string;
  /** `YYYY-MM-DD` in the warehouse's time zone. */
  readonly day: string;
  readonly label_count: number;
  readonly created_by: Actor;
  readonly created_at: number;
}

/** The list of parcels handed to a carrier at the end of a day. */
export interface CarrierManifest extends PlainManifest {
  readonly parcels: readonly ManifestParcel[];
}

/** Returns the manifest as lists show it. */
export function plainManifestView({ id, warehouse, carrier, day, label_count, created_by, created_at }: PlainManifest) {
  return {
    manifest_id: wireId("manifest", id),
    warehouse_id: wireId("warehouse", warehouse.id),
    warehouse_name: warehouse.name,
    carrier,
    date: day,
    label_count,
    created_by: { type: created_by.type, id: created_by.id },
    created_at: iso(created_at),
  };
}

/** Returns the manifest as the API shows it. */
export function manifestView(manifest: CarrierManifest) {
  return {
    ...plainManifestView(manifest),
    total_weight_grams: totalGrams(manifest.parcels),
    parcels: manifest.parcels.map((parcel) => ({
      label_id: wireId("label", parcel.label_id),
      shipment_id: wireId("shipment", parcel.shipment_id),
      order_id: wireId("order", parcel.order_id),
      order_number: parcel.order_number,
      tracking_number: parcel.tracking_number,
      service: parcel.service,
      label_status: parcel.status,
      shipment_status: parcel.shipment_status,
      weight: Number(parcel.package.weight),
      weight_unit: parcel.package.weight_unit,
      to_address: {
        name: parcel.to_address.name,
        city: parcel.to_address.city,
        state: parcel.to_address.state,
        zip: parcel.to_address.postal_code,
        country: parcel.to_address.country,
      },
    })),
  };
}

/** The weight of parcels together in grams, rounded once. Voided labels do not count. */
export function totalGrams(parcels: readonly ManifestParcel[]): number {
  const valid = parcels.filter(({ status }) => !isVoided(status));
  const weights = valid.flatMap((parcel) => readWeight(parcel.package.weight, parcel.package.weight_unit) ?? []);
  const [first, ...others] = weights;
  return first === undefined ? 0 : gramsOf(others.reduce(add, first));
}
