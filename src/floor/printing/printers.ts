import { isDeepStrictEqual } from "node:util";
import { Fault, invalid, ofFields } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { defaultPaperSize } from "../../documents/document.ts";
import { findWarehouse } from "../../inventory/warehouses/warehouses.sql.ts";
import { warehouseNamed } from "../../inventory/warehouses/warehouses.ts";
import { printerProblem } from "../../outbound/printer.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { countOpenJobs, removeJobsOf } from "./print_jobs.sql.ts";
import { type Printer, printerDefaults, type Station } from "./printer.ts";
import type { CreatePrinter, CreateStation, UpdatePrinter, UpdateStation } from "./printers.schema.ts";
import {
  countOpenSessions,
  getPrinter,
  insertPrinter,
  insertStation,
  listStationsWith,
  lockPrinter,
  lockStation,
  type PrinterFields,
  removePrinter,
  removeStation,
  type StationFields,
  savePrinter,
  saveStation,
} from "./printers.sql.ts";

const nameTaken = (what: string) => invalid("name", `belongs to another ${what} of this warehouse`, "duplicate");

/** Refuses to change the warehouse of a record. Refuses: immutable_field. */
function refuseMove(warehouse_id: string | number | undefined, before: Printer | Station): void {
  if (warehouse_id === undefined || readId("warehouse", warehouse_id) === before.warehouse_id) return;
  throw ofFields("immutable_field", [
    { field: "warehouse_id", code: "immutable_field", message: "cannot change. Create another record" },
  ]);
}

/**
 * Creates a printer. `own_port` is the port of this server.
 * Refuses: validation_failed, resource_missing, blocked_address.
 */
export async function createPrinter(tx: Tx, input: CreatePrinter, own_port: number | null): Promise<Printer> {
  const { name, kind, host, active = true } = input;
  const warehouse_id = await warehouseNamed(tx, input.warehouse_id, "warehouse_id");
  const { port, path, dpi } = printerDefaults[kind];
  const media = kind === "zpl_tcp" ? "4x6" : await paperOf(tx, warehouse_id);
  const defaults: PrinterFields = { warehouse_id, name, kind, host, port, path, media, dpi, active };
  const printer = await insertPrinter(tx, checked({ ...defaults, ...sent(input) }, own_port));
  if (printer === null) throw nameTaken("printer");
  return printer;
}

async function paperOf(db: Db, warehouse_id: number) {
  const warehouse = await findWarehouse(db, warehouse_id);
  return defaultPaperSize(warehouse?.address.country ?? "US");
}

/** The fields of a request, without the warehouse. */
function sent({ name, kind, host, port, path, media, dpi, active }: UpdatePrinter): Partial<PrinterFields> {
  const fields = { name, kind, host, port, path, media, dpi, active };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Refuses fields that contradict each other. Refuses: validation_failed, blocked_address. */
function checked(fields: PrinterFields, own_port: number | null): PrinterFields {
  const { kind, path, media, dpi } = fields;
  if (kind === "zpl_tcp" && media !== "4x6") throw invalid("media", "must be 4x6 for zpl_tcp");
  if (kind === "zpl_tcp" && path !== null) throw invalid("path", "must be null for zpl_tcp");
  if (kind === "zpl_tcp" && dpi === null) throw invalid("dpi", "must be 203, 300 or 600 for zpl_tcp");
  if (kind === "ipp" && path === null) throw invalid("path", "must be a path such as /ipp/print");
  if (kind === "ipp" && dpi !== null) throw invalid("dpi", "must be null for ipp");
  const message = printerProblem(fields, own_port);
  if (message !== null) throw ofFields("blocked_address", [{ field: "host", code: "blocked_address", message }]);
  return fields;
}

/**
 * Changes a printer. Equal values change nothing. Another kind has that kind's port, path and resolution unless the
 * request names others.
 * Refuses: validation_failed, resource_missing, blocked_address, immutable_field, record_in_use.
 */
export async function updatePrinter(
  tx: Tx,
  id: string,
  input: UpdatePrinter,
  own_port: number | null,
): Promise<Printer> {
  const before = await lockPrinter(tx, id);
  refuseMove(input.warehouse_id, before);
  const { id: _id, revision: _revision, created_at: _created, updated_at: _updated, ...own } = before;
  const { kind = before.kind } = input;
  const media = kind === "zpl_tcp" ? "4x6" : await paperOf(tx, before.warehouse_id);
  const others = kind === before.kind ? {} : { ...printerDefaults[kind], media };
  const fields = checked({ ...own, ...others, ...sent(input) }, own_port);
  if (isDeepStrictEqual(fields, own)) return before;
  for (const station of await listStationsWith(tx, before.id)) {
    if (station.document_printer_id === before.id && !printsDocuments(fields)) throw inUse(before, station);
  }
  const printer = await savePrinter(tx, before, fields);
  if (printer === null) throw nameTaken("printer");
  return printer;
}

const inUse = (printer: Printer, station: Station) =>
  new Fault("record_in_use", `${printer.name} is a printer of the station ${station.name}. Change the station first.`, {
    used_by: wireId("station", station.id),
  });

/**
 * Deletes a printer with its finished jobs.
 * Refuses: resource_missing, record_in_use (a station names it, or a job waits for it).
 */
export async function deletePrinter(tx: Tx, id: string): Promise<Printer> {
  const printer = await lockPrinter(tx, id);
  const [station] = await listStationsWith(tx, printer.id);
  if (station !== undefined) throw inUse(printer, station);
  if ((await countOpenJobs(tx, printer.id)) > 0) {
    throw new Fault("record_in_use", `${printer.name} has waiting print jobs. Cancel them first.`);
  }
  await removeJobsOf(tx, printer.id);
  await removePrinter(tx, printer);
  return printer;
}

/** Whether a printer can print packing slips. */
const printsDocuments = ({ kind, media }: Pick<Printer, "kind" | "media">): boolean =>
  kind === "ipp" && media !== "4x6";

/** Creates a station. Refuses: validation_failed, resource_missing. */
export async function createStation(tx: Tx, input: CreateStation): Promise<Station> {
  const { name, label_printer_id = null, document_printer_id = null } = input;
  const warehouse_id = await warehouseNamed(tx, input.warehouse_id, "warehouse_id");
  const printers = await readPrinters(tx, warehouse_id, { label_printer_id, document_printer_id });
  const station = await insertStation(tx, { warehouse_id, name, ...printers });
  if (station === null) throw nameTaken("station");
  return station;
}

type StationPrinters = Pick<StationFields, "label_printer_id" | "document_printer_id">;

/** Reads the printers of a station, which are in its warehouse. Refuses: validation_failed, resource_missing. */
async function readPrinters(
  tx: Tx,
  warehouse_id: number,
  input: { readonly [Field in keyof StationPrinters]: string | number | null },
): Promise<StationPrinters> {
  const find = async (field: keyof StationPrinters) => {
    const id = input[field];
    if (id === null) return null;
    const printer = await getPrinter(tx, id).catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      throw ofFields("resource_missing", [{ field, code: "resource_missing", message: "names no printer" }]);
    });
    if (printer.warehouse_id !== warehouse_id) throw invalid(field, "is a printer of another warehouse");
    if (field === "document_printer_id" && !printsDocuments(printer)) {
      throw invalid(field, "must be an IPP printer with a4 or letter paper");
    }
    return printer.id;
  };
  return {
    label_printer_id: await find("label_printer_id"),
    document_printer_id: await find("document_printer_id"),
  };
}

/** Changes a station. Equal values change nothing. Refuses: validation_failed, resource_missing, immutable_field. */
export async function updateStation(tx: Tx, id: string, input: UpdateStation): Promise<Station> {
  const before = await lockStation(tx, id);
  refuseMove(input.warehouse_id, before);
  const { warehouse_id, label_printer_id, document_printer_id } = before;
  const printers = await readPrinters(tx, warehouse_id, {
    label_printer_id: input.label_printer_id === undefined ? label_printer_id : input.label_printer_id,
    document_printer_id: input.document_printer_id === undefined ? document_printer_id : input.document_printer_id,
  });
  const fields = { warehouse_id, name: input.name ?? before.name, ...printers };
  if (isDeepStrictEqual(fields, { warehouse_id, name: before.name, label_printer_id, document_printer_id }))
    return before;
  const station = await saveStation(tx, before, fields);
  if (station === null) throw nameTaken("station");
  return station;
}

/** Deletes a station. Refuses: resource_missing, record_in_use (someone packs there). */
export async function deleteStation(tx: Tx, id: string): Promise<Station> {
  const station = await lockStation(tx, id);
  if ((await countOpenSessions(tx, station.id)) > 0) {
    throw new Fault("record_in_use", `A parcel is being packed at ${station.name}. Close or cancel it first.`);
  }
  await removeStation(tx, station);
  return station;
}
