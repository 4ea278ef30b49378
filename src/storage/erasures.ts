// Which customers were erased, in a file of its own beside the data and beside its backups: a backup of before an
// erasure still holds the person, so a restore erases again. It holds ids and moments, and nothing about anyone. Whom
// it means is told by the id and by when the customer was made: the same id is another's in another installation, and
// after a rollback.
import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { iso, parseMoment } from "../core/clock.ts";
import { type Environment, environments } from "../core/environment.ts";
import { syncFolder, writeAtomically } from "../core/files.ts";
import { readId, wireId } from "../core/ids.ts";

/** What the file is called, in the data directory and beside backups. */
export const erasures_file = "erasures.jsonl";

/** That a customer was erased, and when. */
export interface LoggedErasure {
  readonly mode: Environment;
  readonly customer_id: number;
  /** When the customer was made. */
  readonly created_at: number;
  readonly erased_at: number;
}

const keyOf = ({ mode, customer_id, created_at }: LoggedErasure) => `${mode} ${customer_id} ${created_at}`;

function lineOf({ mode, customer_id, created_at, erased_at }: LoggedErasure): string {
  const customer = wireId("customer", customer_id);
  return `${JSON.stringify({ mode, customer, created_at: iso(created_at), erased_at: iso(erased_at) })}\n`;
}

/** Reads the erasures in a text of lines. What says nothing of the kind is passed over, as a torn last line. */
export function parseErasures(text: string): LoggedErasure[] {
  return text.split("\n").flatMap((line) => {
    try {
      const { mode, customer, created_at, erased_at } = JSON.parse(line) as Record<string, unknown>;
      const found = environments.find((one) => one === mode);
      const customer_id = readId("customer", String(customer));
      const [made, at] = [parseMoment(String(created_at)), parseMoment(String(erased_at))];
      return found === undefined || customer_id === null || made === null || at === null
        ? []
        : [{ mode: found, customer_id, created_at: made, erased_at: at }];
    } catch {
      return [];
    }
  });
}

/** The erasures in a file; none where it is not there. */
export function readErasures(path: string): LoggedErasure[] {
  try {
    return parseErasures(readFileSync(path, "utf8"));
  } catch (error) {
    if (/^E(NOENT|NOTDIR)$/.test((error as { code?: string }).code ?? "")) return [];
    throw error;
  }
}

/** Adds erasures to a file, on the disk when it returns. One that is there already is not added again. */
export function recordErasures(path: string, erasures: readonly LoggedErasure[]): void {
  const known = new Set(readErasures(path).map(keyOf));
  const fresh = erasures.filter((one) => !known.has(keyOf(one)));
  if (fresh.length === 0) return;
  // On PostgreSQL there may be no data directory yet.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, "a", 0o600);
  try {
    // A power cut may have left half a line.
    const begins = fstatSync(file).size === 0;
    writeSync(file, `${begins ? "" : "\n"}${fresh.map(lineOf).join("")}`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
}

/** The erasures of several files as one, each customer once, the first moment of each. */
export function mergedErasures(lists: readonly (readonly LoggedErasure[])[]): LoggedErasure[] {
  const all = new Map<string, LoggedErasure>();
  for (const one of lists.flat().sort((a, b) => a.erased_at - b.erased_at)) {
    if (!all.has(keyOf(one))) all.set(keyOf(one), one);
  }
  return [...all.values()];
}

/** What a file of these erasures holds. */
export function erasuresText(erasures: readonly LoggedErasure[]): string {
  return erasures.map(lineOf).join("");
}

/** Writes a file of these erasures, in the place of the one before. */
export function writeErasures(path: string, erasures: readonly LoggedErasure[]): void {
  writeAtomically(path, erasuresText(erasures));
}
