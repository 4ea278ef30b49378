// `packhouse customers …`: what is known of a person is told and erased on the command line.
import { join } from "node:path";
import { recordCommand } from "./audit/commands.ts";
import { asJson, type Commands, command, inMode, modeOf, type Place, place, print, withStores } from "./command.ts";
import { type Flags, type Given, WrongUse } from "./config.ts";
import { erasures_file } from "./database/erasures.ts";
import type { Stores } from "./database/open.ts";
import type { Store } from "./database/store.ts";
import { readId, wireId } from "./kit/ids.ts";
import { checkOf } from "./kit/schema.ts";
import { writeWhole } from "./kit/whole_file.ts";
import { disclose } from "./privacy/disclosure/jobs.ts";
import { eraseCustomer, eraseEmail } from "./privacy/erasure/commands.ts";
import { eraseAllDue } from "./privacy/erasure/jobs.ts";
import { type Erasure, erasureView, keptForOf } from "./privacy/erasures/erasure.ts";
import { getErasure } from "./privacy/erasures/store.ts";
import { DiscloseEmail } from "./privacy/schemas.ts";
import { retention } from "./retention/rules.ts";
import { retentionIn } from "./retention/store.ts";

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
      ...inMode,
      ...place,
    },
    run: (given) => withStores(given, (stores) => exportPerson(stores, given)),
  }),
  "customers erase": command({
    summary: "erase what tells who a person is, for good; what was sold and sent stays",
    flags: { ...named, ...waiting, ...inMode, ...place, ...asJson },
    run: (given) => withStores(given, (stores) => erasePerson(stores, given)),
  }),
};

const checkEmail = checkOf(DiscloseEmail);

/** Who is named: a customer by its id, or an e-mail address. */
function personIn(person: string | undefined): { readonly customer: string } | { readonly email: string } {
  if (!person) throw new WrongUse("say who: a customer as cus_7, or an e-mail address.");
  return readId("customer", person) === null ? checkEmail({ email: person }) : { customer: person };
}

// The command line has no flags of the service: its own defaults count where the house has set nothing.
const flags = {
  event_retention_days: retention.event_payloads.usual ?? 0,
  request_log_days: retention.request_log.usual ?? 0,
};

type Named = Given<typeof named & typeof inMode>;

async function exportPerson(stores: Stores, given: Named & { to: string | undefined }): Promise<number> {
  const mode = modeOf(given.mode);
  const told = await disclose(stores[mode], personIn(given.person), { flags, of_house: true });
  const targets = told.about.customers.slice(0, 50);
  await stores.live.write((tx) => recordCommand(tx, { world: mode, action: "exportPerson", targets }));
  const text = `${JSON.stringify(told, null, 2)}\n`;
  if (given.to && given.to !== "-") writeWhole(given.to, text);
  else print(text.trimEnd());
  if (given.to) print(`${given.to}: ${told.records.reduce((sum, { rows }) => sum + rows.length, 0)} records`);
  return 0;
}

async function erasePerson(
  stores: Stores,
  given: Named & Given<typeof waiting> & Place & { json: boolean },
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
  throw new WrongUse("--after-days must be a number from 0 to 365.");
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
