// `packhouse customers …`: what is known of a person is told and erased on the command line.
import { join } from "node:path";
import { type Flags, type FlagValues, UsageError } from "../core/config.ts";
import { writeAtomically } from "../core/files.ts";
import { readId, wireId } from "../core/ids.ts";
import { checkOf } from "../core/schema.ts";
import { recordCommand } from "../identity/audit_log/audit_log.sql.ts";
import { exportPersonalData } from "../privacy/access_export.jobs.ts";
import { eraseCustomer, eraseEmail } from "../privacy/erase_person.ts";
import { type Erasure, erasureView, keptForOf } from "../privacy/erasure.ts";
import { getErasure } from "../privacy/erasures.sql.ts";
import { eraseAllDue } from "../privacy/privacy.jobs.ts";
import { DiscloseEmail } from "../privacy/privacy.schema.ts";
import { retentionIn } from "../privacy/retention_settings.sql.ts";
import type { Store } from "../storage/database.ts";
import { erasures_file } from "../storage/erasures.ts";
import type { Stores } from "../storage/open_stores.ts";
import { retention } from "../storage/retention.ts";
import {
  type Commands,
  command,
  type DataLocation,
  dataFlags,
  jsonFlag,
  modeFlag,
  modeOf,
  print,
  withStores,
} from "./command.ts";

const named = {
  person: { type: "word", value: "cus_N|EMAIL", help: "a customer, or whoever has an e-mail address" },
} as const satisfies Flags;
const waiting = {
  "after-days": { type: "string", value: "N", help: "wait for open orders to end, and so many days more" },
} as const satisfies Flags;

/** The commands about people who order. */
export const customerCommands: Commands = {
  "customers export": command({
    summary: "write all that is known of a person, as JSON",
    flags: {
      ...named,
      to: { type: "string", value: "FILE", help: "write it there, for its owner alone, instead of printing it" },
      ...modeFlag,
      ...dataFlags,
    },
    run: (given) => withStores(given, (stores) => exportPerson(stores, given)),
  }),
  "customers erase": command({
    summary: "erase what tells who a person is, for good; what was sold and sent stays",
    flags: { ...named, ...waiting, ...modeFlag, ...dataFlags, ...jsonFlag },
    run: (given) => withStores(given, (stores) => erasePerson(stores, given)),
  }),
};

const checkEmail = checkOf(DiscloseEmail);

/** Who is named: a customer by its id, or an e-mail address. */
function personIn(person: string | undefined): { readonly customer: string } | { readonly email: string } {
  if (!person) throw new UsageError("say who: a customer as cus_7, or an e-mail address.");
  return readId("customer", person) === null ? checkEmail({ email: person }) : { customer: person };
}

// The command line has no flags of the service: its own defaults count where the house has set nothing.
const flags = {
  event_retention_days: retention.event_payloads.usual ?? 0,
  request_log_days: retention.request_log.usual ?? 0,
};

type NamedPersonFlags = FlagValues<typeof named & typeof modeFlag>;

async function exportPerson(stores: Stores, given: NamedPersonFlags & { to: string | undefined }): Promise<number> {
  const mode = modeOf(given.mode);
  const told = await exportPersonalData(stores[mode], personIn(given.person), { flags, of_house: true });
  const targets = told.about.customers.slice(0, 50);
  await stores.live.write((tx) => recordCommand(tx, { world: mode, action: "exportPerson", targets }));
  const text = `${JSON.stringify(told, null, 2)}\n`;
  if (given.to && given.to !== "-") writeAtomically(given.to, text);
  else print(text.trimEnd());
  if (given.to) print(`${given.to}: ${told.records.reduce((sum, { rows }) => sum + rows.length, 0)} records`);
  return 0;
}

async function erasePerson(
  stores: Stores,
  given: NamedPersonFlags & FlagValues<typeof waiting> & DataLocation & { json: boolean },
): Promise<number> {
  const mode = modeOf(given.mode);
  const store = stores[mode];
  const after_days = daysIn(given["after-days"]);
  const person = personIn(given.person);
  const actor = { type: "system", id: "command_line", name: "Command line", request_id: null } as const;
  const begun = await store.write((tx) => {
    const asked = { after_days, actor };
    return "customer" in person ? eraseCustomer(tx, person.customer, asked) : eraseEmail(tx, person.email, asked);
  });
  const targets = [wireId("erasure", begun.id)];
  await stores.live.write((tx) => recordCommand(tx, { world: mode, action: "askErasure", targets }));
  await eraseAllDue(store, join(given.data ?? "./data", erasures_file));
  await tell(store, begun.id, given.json);
  return 0;
}

function daysIn(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^\d{1,3}$/.test(text) && Number(text) <= 365) return Number(text);
  throw new UsageError("--after-days must be a number from 0 to 365.");
}

async function tell(store: Store, id: number, as_json: boolean): Promise<void> {
  const { erasure, view } = await store.read(async (db) => {
    const erasure = await getErasure(db, wireId("erasure", id));
    return { erasure, view: erasureView(erasure, keptForOf(await retentionIn(db, flags)), db.now) };
  });
  if (as_json) print(JSON.stringify(view));
  else for (const line of linesOf(erasure, view)) print(line);
}

function linesOf({ status }: Erasure, view: ReturnType<typeof erasureView>): string[] {
  const state = { waiting: `waits until ${view.looks_again_at}`, running: "is under way", done: "is done" }[status];
  return [
    `${view.id} ${state}: ${view.customers.length === 0 ? "no customer was found" : view.customers.join(", ")}`,
    ...view.erased.map(({ records, count }) => `  erased  ${String(count).padStart(6)} ${records}`),
    `  rest    gone from events and logs by ${view.rest_gone_by}`,
    ...view.kept.map(
      ({ what, ...why }) => `  kept    ${what}: ${why.why}, ${why.for}${why.law ? ` (${why.law})` : ""}`,
    ),
    ...view.receivers.map((receiver) => `  tell    ${receiver}, a webhook that was sent events of the person`),
    ...view.by_hand.map((line) => `  by hand ${line}`),
  ];
}
