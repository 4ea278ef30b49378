import { iso } from "../core/clock.ts";
import { wireId } from "../core/ids.ts";
import type { RetentionPeriods } from "./erasure.ts";
import { keptView } from "./erasure.ts";
import { mentions } from "./erasure_terms.ts";
import { type PersonalKind, personalKinds } from "./personal_records.ts";

/** The stored data of one person. */
interface AccessExport {
  readonly customers: readonly number[];
  readonly email: string | null;
  readonly created_at: number;
  readonly records: ReadonlyMap<PersonalKind, readonly Readonly<Record<string, unknown>>[]>;
  /** Ids of labels that show an address. */
  readonly labels: readonly number[];
  /** Ids of webhooks that received, or may have received, events. */
  readonly receivers: readonly number[];
}

/** The export as the API shows it, with at most `rows_max` rows of each kind. */
export function accessExportView(found: AccessExport, rows_max: number, kept_for: RetentionPeriods) {
  const { customers, email, created_at, records, labels, receivers } = found;
  return {
    about: { customers: customers.map((id) => wireId("customer", id)), email },
    created_at: iso(created_at),
    records: personalKinds.flatMap((kind) => {
      const rows = records.get(kind) ?? [];
      if (rows.length === 0) return [];
      return [{ records: kind, truncated: rows.length > rows_max, rows: rows.slice(0, rows_max).map(exportedRow) }];
    }),
    documents: labels.map((id) => ({
      label_id: wireId("label", id),
      path: `/shipping/labels/${wireId("label", id)}/document`,
    })),
    kept: keptView(kept_for),
    receivers: receivers.map((id) => wireId("subscription", id)),
  };
}

/** A row without nulls, with ISO timestamps. */
function exportedRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const moment = (name: string, value: unknown) => name.endsWith("_at") && typeof value === "number";
  return Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, moment(name, value) ? iso(value as number) : value]),
  );
}

/** The outermost objects in JSON that name one of the person's records. */
export function partsAbout(value: unknown, ids: ReadonlySet<string>): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const fields = Object.values(value);
  const isAbout = !Array.isArray(value) && fields.some((field) => typeof field === "string" && ids.has(field));
  return isAbout ? [value] : fields.flatMap((field) => partsAbout(field, ids));
}

/** Whether a request searched for a person. */
export function mentionsAny(path: string, query: string, terms: ReadonlySet<string>): boolean {
  const values = [...new URLSearchParams(query).values(), ...new URLSearchParams(`path=${path}`).values()];
  return values.some((text) => mentions(text, terms));
}
