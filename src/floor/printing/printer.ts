import { iso } from "../../core/clock.ts";
import { wireId, wireIdOrNull } from "../../core/ids.ts";
import type { ZplResolution } from "../../documents/drawing.ts";
import type { PrinterKind } from "../floor.transitions.ts";

/** The paper or labels that a printer can hold. */
export const printerMedia = ["4x6", "a4", "letter"] as const;
export type PrinterMedia = (typeof printerMedia)[number];

/** A printer of a warehouse. */
export interface Printer {
  readonly id: number;
  readonly warehouse_id: number;
  readonly name: string;
  readonly kind: PrinterKind;
  /** A host name or an IP address. */
  readonly host: string;
  readonly port: number;
  /** The path of an IPP printer; null for label printers. */
  readonly path: string | null;
  readonly media: PrinterMedia;
  /** Dots per inch of a label printer; null for others. */
  readonly dpi: ZplResolution | null;
  /** Whether jobs can be queued for it. */
  readonly active: boolean;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The ports and paths of printers, unless a request names others. */
export const printerDefaults = {
  zpl_tcp: { port: 9100, path: null, dpi: 203 },
  ipp: { port: 631, path: "/ipp/print", dpi: null },
} as const satisfies Readonly<Record<PrinterKind, Pick<Printer, "port" | "path" | "dpi">>>;

/** Returns a printer as the API shows it. */
export function printerView({ id, warehouse_id, created_at, updated_at, ...printer }: Printer) {
  return {
    id: wireId("printer", id),
    warehouse_id: wireId("warehouse", warehouse_id),
    ...printer,
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  };
}

/** A packing table with its printers. */
export interface Station {
  readonly id: number;
  readonly warehouse_id: number;
  readonly name: string;
  /** Prints labels; null if the station prints none. */
  readonly label_printer_id: number | null;
  /** Prints packing slips; null if the station prints none. */
  readonly document_printer_id: number | null;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Returns a station as the API shows it. */
export function stationView(station: Station) {
  return {
    id: wireId("station", station.id),
    warehouse_id: wireId("warehouse", station.warehouse_id),
    name: station.name,
    label_printer_id: wireIdOrNull("printer", station.label_printer_id),
    document_printer_id: wireIdOrNull("printer", station.document_printer_id),
    revision: station.revision,
    created_at: iso(station.created_at),
    updated_at: iso(station.updated_at),
  };
}
