import { and, asc, eq, or } from "drizzle-orm";
import { isOneOf } from "../../../db/kit.ts";
import { packing_sessions, printers, stations } from "../../../db/schema/floor.ts";
import { choice } from "../../core/schema.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { ascending, equals, recordList, refersTo, search } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import { isDuplicate } from "../../storage/storage_errors.ts";
import { packingTransitions, printerKinds } from "../floor.transitions.ts";
import type { Printer, Station } from "./printer.ts";

/** A printer by its identifier, `prn_1` or `1`. */
export const { get: getPrinter, lock: lockPrinter } = recordLookup(printers, "printer", {
  record: (_db, row) => row as Printer,
});

/** A station by its identifier, `stn_1` or `1`. */
export const { get: getStation, lock: lockStation } = recordLookup(stations, "station", {
  record: (_db, row): Station => row,
});

/** Printers, oldest first. */
export const printerList = recordList(printers, {
  filters: {
    warehouse_id: refersTo(printers.warehouse_id, "warehouse"),
    kind: equals(printers.kind, choice(printerKinds, { description: "Only printers of these kinds." })),
    search: search("Part of the name.", [printers.name]),
  },
  order: ascending(printers.created_at),
  records: (rows) => rows as Printer[],
});

/** Stations, oldest first. */
export const stationList = recordList(stations, {
  filters: {
    warehouse_id: refersTo(stations.warehouse_id, "warehouse"),
    search: search("Part of the name.", [stations.name]),
  },
  order: ascending(stations.created_at),
  records: (rows): Station[] => [...rows],
});

/** The fields of a printer that a client sets. */
export type PrinterFields = Omit<Printer, "id" | "revision" | "created_at" | "updated_at">;
/** The fields of a station that a client sets. */
export type StationFields = Omit<Station, "id" | "revision" | "created_at" | "updated_at">;

/** Returns the result of a write, or null if the name is taken. */
async function unlessTaken<Done>(table: string, rule: string, work: () => Promise<Done>): Promise<Done | null> {
  try {
    return await work();
  } catch (error) {
    if (isDuplicate(error, table, rule, [])) return null;
    throw error;
  }
}

/** Stores a printer; null if its name is taken in the warehouse. */
export async function insertPrinter(tx: Tx, fields: PrinterFields): Promise<Printer | null> {
  const row = { ...fields, revision: 1, created_at: tx.now, updated_at: tx.now };
  return unlessTaken("printers", "printers_name", async () => {
    const [id = 0] = await insertIds(tx, printers, [row]);
    return { id, ...row };
  });
}

/** Stores changes of a locked printer; null if its name is taken in the warehouse. */
export async function savePrinter(tx: Tx, before: Printer, fields: PrinterFields): Promise<Printer | null> {
  const changes = { ...fields, revision: before.revision + 1, updated_at: tx.now };
  return unlessTaken("printers", "printers_name", async () => {
    await tx.sql.update(printers).set(changes).where(eq(printers.id, before.id));
    return { ...before, ...changes };
  });
}

/** Deletes a printer. */
export async function removePrinter(tx: Tx, { id }: Printer): Promise<void> {
  await tx.sql.delete(printers).where(eq(printers.id, id));
}

/** Stores a station; null if its name is taken in the warehouse. */
export async function insertStation(tx: Tx, fields: StationFields): Promise<Station | null> {
  const row = { ...fields, revision: 1, created_at: tx.now, updated_at: tx.now };
  return unlessTaken("stations", "stations_name", async () => {
    const [id = 0] = await insertIds(tx, stations, [row]);
    return { id, ...row };
  });
}

/** Stores changes of a locked station; null if its name is taken in the warehouse. */
export async function saveStation(tx: Tx, before: Station, fields: StationFields): Promise<Station | null> {
  const changes = { ...fields, revision: before.revision + 1, updated_at: tx.now };
  return unlessTaken("stations", "stations_name", async () => {
    await tx.sql.update(stations).set(changes).where(eq(stations.id, before.id));
    return { ...before, ...changes };
  });
}

const stationOf = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select().from(stations).where(eq(stations.id, a.id)),
);

/** A station; null if it was deleted. */
export async function findStation(db: Db, id: number): Promise<Station | null> {
  const [station = null] = await stationOf(db, { id });
  return station;
}

/** Deletes a station. */
export async function removeStation(tx: Tx, { id }: Station): Promise<void> {
  await tx.sql.delete(stations).where(eq(stations.id, id));
}

const withPrinter = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql
    .select()
    .from(stations)
    .where(or(eq(stations.label_printer_id, a.id), eq(stations.document_printer_id, a.id)))
    .orderBy(asc(stations.id)),
);

/** The stations that use a printer. */
export async function listStationsWith(db: Db, printer_id: number): Promise<Station[]> {
  return withPrinter(db, { id: printer_id });
}

/** Counts the parcels that are being packed at a station. */
export async function countOpenSessions(db: Db, station_id: number): Promise<number> {
  const isOpen = isOneOf(packing_sessions.status, packingTransitions.scan.from);
  return db.sql.$count(packing_sessions, and(eq(packing_sessions.station_id, station_id), isOpen));
}
