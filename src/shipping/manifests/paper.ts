import { wireId } from "../../kit/ids.ts";
import { type Codes, numberAmong } from "../../owners/rules.ts";
import { addressLines } from "../../typesetting/addresses/address_lines.ts";
import {
  type Cell,
  type Column,
  counted,
  type Paper,
  type PaperSize,
  type Table,
  textPiece,
  usualPaperSize,
} from "../../typesetting/papers/paper.ts";
import { footOf, localMoment } from "../../typesetting/papers/print.ts";
import { addressOf } from "../address.ts";
import { isVoided } from "../labels/status.ts";
import { carrierName } from "../rates/carrier.ts";
import { type Manifest, type ManifestParcel, totalGrams } from "./manifest.ts";

const title = "Manifest";

/**
 * The manifest as a paper with the bar code of every parcel, for the driver to sign; `codes` are those of the merchants
 * whose parcels they are.
 */
export function manifestPaper(manifest: Manifest, codes: Codes, now: number, sheet: PaperSize | undefined): Paper {
  const { warehouse, carrier, day, parcels, created_at } = manifest;
  const { timezone } = warehouse;
  const from = addressOf(warehouse.address);
  const paper_size = sheet ?? usualPaperSize(from.country);
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

const parcelColumns: readonly Column[] = [
  { caption: "Parcel", width: 216, align: "left" },
  { caption: "Ship to", width: null, align: "left" },
  { caption: "Order", width: 96, align: "left" },
  { caption: "Weight", width: 56, align: "right" },
];

function parcelTable(parcels: readonly ManifestParcel[], codes: Codes, home: string): Table {
  return {
    caption: null,
    columns: parcelColumns,
    rows: parcels.map((parcel) => parcelRow(parcel, codes, home)),
    total: null,
  };
}

function parcelRow(parcel: ManifestParcel, codes: Codes, home: string): Cell[] {
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
    [textPiece(numberAmong(order_number, merchant_id, codes), "plain"), textPiece(service, "quiet")],
    [textPiece(`${packed.weight} ${packed.weight_unit}`, "plain")],
  ];
}

const handoverTable: Table = {
  caption: "Handed over",
  columns: [
    { caption: "Driver", width: 170, align: "left" },
    { caption: "Signature", width: null, align: "left" },
    { caption: "Date and time", width: 130, align: "left" },
  ],
  // Room for a signature.
  rows: [[[], [textPiece(" ", "count"), textPiece(" ", "count")], []]],
  total: null,
};
