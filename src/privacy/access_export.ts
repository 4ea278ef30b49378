import { iso } from "../core/clock.ts";
import { wireId } from "../core/ids.ts";
import type { RetentionPeriods } from "./erasure.ts";
import { keptView } from "./erasure.ts";
import { type PersonalKind, personalKinds } from "./personal_records.ts";

/** All that is known of a person. */
interface AccessExport {
  readonly customers: readonly number[];
  readonly email: string | null;
  readonly told_at: number;
  /** The rows of each kind. */
  readonly records: ReadonlyMap<PersonalKind, readonly Readonly<Record<string, unknown>>[]>;
  /** The labels that show an address, and the webhooks that were sent events, by id. */
  readonly labels: readonly number[];
  readonly receivers: readonly number[];
}

/** The disclosure as the API shows it; of a kind with more than `rows_max` rows the first of them. */
export function accessExportView(disclosure: AccessExport, rows_max: number, kept_for: RetentionPeriods) {
  const { customers, email, told_at, records, labels, receivers } = disclosure;
  return {
    about: { customers: customers.map((id) => wireId("customer", id)), email },
    told_at: iso(told_at),
    records: personalKinds.flatMap((kind) => {
      const rows = records.get(kind) ?? [];
      if (rows.length === 0) return [];
      const told = rows.slice(0, rows_max).map(toldRow);
      return [{ records: kind, truncated: rows.length > rows_max, rows: told }];
    }),
    documents: labels.map((id) => ({
      label_id: wireId("label", id),
      path: `/shipping/labels/${wireId("label", id)}/document`,
    })),
    kept: keptView(kept_for),
    receivers: receivers.map((id) => wireId("subscription", id)),
  };
}

/** A row with its moments as text. */
function toldRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const moment = (name: string, value: unknown) => name.endsWith("_at") && typeof value === "number";
  return Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, moment(name, value) ? iso(value as number) : value]),
  );
}

/** What JSON says about a person: of each part that names one of the person's records, the whole object. */
export function partsAbout(value: unknown, ids: ReadonlySet<string>): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const fields = Object.values(value);
  const isAbout = !Array.isArray(value) && fields.some((field) => typeof field === "string" && ids.has(field));
  return isAbout ? [value] : fields.flatMap((field) => partsAbout(field, ids));
}

const email = /[^\s"'<>&=?/,;:()]+@[^\s"'<>&=?/,;:()]+/g;

/** Whether a request looked for a person: an e-mail address stands anywhere in it, another term is a whole value. */
export function asksFor(path: string, query: string, terms: ReadonlySet<string>): boolean {
  const values = [...new URLSearchParams(query).values(), ...new URLSearchParams(`path=${path}`).values()];
  const texts = values.map((text) => text.trim().normalize("NFC").toLowerCase());
  return texts.some((text) => terms.has(text) || (text.match(email) ?? []).some((one) => terms.has(one)));
}
