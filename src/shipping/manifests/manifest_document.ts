import { wireId } from "../../core/ids.ts";
import { completeAddress } from "../../core/postal_address.ts";
import { addressLines } from "../../documents/address_lines.ts";
import {
  counted,
  type DocumentCell,
  type DocumentColumn,
  type DocumentTable,
  defaultPaperSize,
  footOf,
  localMoment,
  type PaperSize,
  type PrintDocument,
  textPiece,
} from "../../documents/document.ts";
import { type MerchantCodes, numberWithMerchant } from "../../storage/tenant.ts";
import { isVoided } from "../labels/label.transitions.ts";
import { carrierName } from "../rates/built_in_carrier.ts";
import { type CarrierManifest, type ManifestParcel, totalGrams } from "./manifest.ts";

const title = "Manifest";

/** Returns the manifest as a printable document with the barcode of every parcel, for the driver to sign. */
export function manifestDocument(
  manifest: CarrierManifest,
  codes: MerchantCodes,
  now: number,
  sheet: PaperSize | undefined,
): PrintDocument {
  const { warehouse, carrier, day, parcels, created_at } = manifest;
  const { timezone } = warehouse;
  const from = completeAddress(warehouse.address);
  const paper_size = sheet ?? defaultPaperSize(from.country);
  const name = wireId("manifest", manifest.id);
  const voided = parcels.filter(({ status }) => isVoided(status)).length;
  return {
    title,
    name,
    symbol: name,
    facts: [
      { label: "Carrier", value: carrierName(carrier) },
      { label: "Date", value: day },
      { label: "Parcels", value: counted(parcels.length - voided, "parcel") },
      { label: "Weight", value: `${(totalGrams(parcels) / 1000).toFixed(3)} kg` },
      { label: "Closed", value: localMoment(created_at, timezone) },
      { label: "Warehouse", value: warehouse.name },
    ],
    blocks: [{ caption: "From", lines: addressLines(from, from.country), strong: from.name }],
    notes: [],
    tables: [parcelTable(parcels, codes, from.country), handoverTable],
    foot: footOf(title, name, { now, timezone, sheet: paper_size }),
    sheet: paper_size,
  };
}

const parcelColumns: readonly DocumentColumn[] = [
  { caption: "Parcel", width: 216, align: "left" },
  { caption: "Ship to", width: null, align: "left" },
  { caption: "Order", width: 96, align: "left" },
  { caption: "Weight", width: 56, align: "right" },
];

function parcelTable(parcels: readonly ManifestParcel[], codes: MerchantCodes, home: string): DocumentTable {
  return {
    caption: null,
    columns: parcelColumns,
    rows: parcels.map((parcel) => parcelRow(parcel, codes, home)),
    total: null,
  };
}

function parcelRow(parcel: ManifestParcel, codes: MerchantCodes, home: string): DocumentCell[] {
  const { tracking_number, service, status, order_number, merchant_id, package: packed, to_address } = parcel;
  const { name, city, state, postal_code, country } = to_address;
  const place = [city, state, postal_code, country === home ? null : country].filter((part) => part !== null);
  return [
    [
      { kind: "symbol", text: tracking_number },
      textPiece(tracking_number, "plain"),
      ...(isVoided(status) ? [textPiece("VOIDED: not handed over", "strong")] : []),
    ],
    [textPiece(name, "strong"), textPiece(place.join(" "), "plain")],
    [textPiece(numberWithMerchant(order_number, merchant_id, codes), "plain"), textPiece(service, "quiet")],
    [textPiece(`${packed.weight} ${packed.weight_unit}`, "plain")],
  ];
}

const handoverTable: DocumentTable = {
  caption: "Handed over",
  columns: [
    { caption: "Driver", width: 170, align: "left" },
    { caption: "Signature", width: null, align: "left" },
    { caption: "Date and time", width: 130, align: "left" },
  ],
  // Space for a signature.
  rows: [[[], [textPiece(" ", "count"), textPiece(" ", "count")], []]],
  total: null,
};
