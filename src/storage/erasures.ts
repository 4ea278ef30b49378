// The erasure log, a file next to the data and its backups. A backup from before an erasure still holds the person, so
// a restore erases again. It holds only ids and times. The creation time is part of a customer's identity, since ids
// are reused by other installations and after a rollback.
import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { iso, parseMoment } from "../core/clock.ts";
import { type Environment, environments } from "../core/environment.ts";
import { syncFolder, writeAtomically } from "../core/files.ts";
import { readId, wireId } from "../core/ids.ts";

/** The name of the erasure log, in the data directory and next to backups. */
export const erasures_file = "erasures.jsonl";

/** A customer who was erased, and when. */
export interface LoggedErasure {
  readonly mode: Environment;
  readonly customer_id: number;
  /** When the customer was created (ms). */
  readonly created_at: number;
  readonly erased_at: number;
}

const keyOf = ({ mode, customer_id, created_at }: LoggedErasure) => `${mode} ${customer_id} ${created_at}`;

function lineOf({ mode, customer_id, created_at, erased_at }: LoggedErasure): string {
  const customer = wireId("customer", customer_id);
  return `${JSON.stringify({ mode, customer, created_at: iso(created_at), erased_at: iso(erased_at) })}\n`;
}

/** Parses the lines of an erasure log. Invalid lines are skipped, such as an incomplete last one. */
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

/** Reads an erasure log; empty when the file does not exist. */
export function readErasures(path: string): LoggedErasure[] {
  try {
    return parseErasures(readFileSync(path, "utf8"));
  } catch (error) {
    if (/^E(NOENT|NOTDIR)$/.test((error as { code?: string }).code ?? "")) return [];
    throw error;
  }
}

/** Appends erasures to a file, durably. Those already in it are not added again. */
export function recordErasures(path: string, erasures: readonly LoggedErasure[]): void {
  const known = new Set(readErasures(path).map(keyOf));
  const fresh = erasures.filter((one) => !known.has(keyOf(one)));
  if (fresh.length === 0) return;
  // With PostgreSQL, the data directory may not exist yet.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, "a", 0o600);
  try {
    // A power cut may have left an incomplete line.
    const begins = fstatSync(file).size === 0;
    writeSync(file, `${begins ? "" : "\n"}${fresh.map(lineOf).join("")}`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
}

/** Merges several lists: each customer once, with the earliest time. */
export function mergedErasures(lists: readonly (readonly LoggedErasure[])[]): LoggedErasure[] {
  const all = new Map<string, LoggedErasure>();
  for (const one of lists.flat().sort((a, b) => a.erased_at - b.erased_at)) {
    if (!all.has(keyOf(one))) all.set(keyOf(one), one);
  }
  return [...all.values()];
}

/** The contents of an erasure log. */
export function erasuresText(erasures: readonly LoggedErasure[]): string {
  return erasures.map(lineOf).join("");
}

/** Writes an erasure log, replacing the file. */
export function writeErasures(path: string, erasures: readonly LoggedErasure[]): void {
  writeAtomically(path, erasuresText(erasures));
}
