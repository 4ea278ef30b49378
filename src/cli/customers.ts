// `packhouse customers …`: exports and erases a person's data.
import { join } from "node:path";
import { UsageError } from "../core/config.ts";
import { writeAtomically } from "../core/files.ts";
import { type FlagValues, int, text, word } from "../core/flags.ts";
import { readId, wireId } from "../core/ids.ts";
import { checkOf } from "../core/schema.ts";
import { recordCommand } from "../identity/audit_log/audit_log.sql.ts";
import { exportPersonalData } from "../privacy/access_export.jobs.ts";
import { eraseCustomer, eraseEmail } from "../privacy/erase_person.ts";
import { type Erasure, erasureView, retentionPeriods } from "../privacy/erasure.ts";
import { getErasure } from "../privacy/erasures.sql.ts";
import { eraseAllDue } from "../privacy/privacy.jobs.ts";
import { DiscloseEmail } from "../privacy/privacy.schema.ts";
import { retentionIn } from "../privacy/retention_settings.sql.ts";
import type { Store } from "../storage/database.ts";
import { erasures_file } from "../storage/erasures.ts";
import type { Stores } from "../storage/open_stores.ts";
import { retention } from "../storage/retention.ts";
import { type Commands, dataCommand, dataFlags, jsonFlag, modeFlag, print } from "./command.ts";

const named = {
  person: word({ value: "cus_N|EMAIL", help: "a customer, or everyone with an email address" }),
};
const exporting = {
  ...named,
  to: text({ value: "FILE", help: "write to a file that only you can read, instead of printing" }),
  ...modeFlag,
};
const erasing = {
  ...named,
  "after-days": int(0, 365, {
    value: "N",
    help: "wait until open orders are complete, then N more days",
    refusal: (text) => `must be a number from 0 to 365 (got ${text}).`,
  }),
  ...modeFlag,
  ...dataFlags,
  ...jsonFlag,
};

/** `customers export` and `customers erase`. */
export const customerCommands: Commands = {
  "customers export": dataCommand({
    summary: "write all data about a person as JSON",
    flags: exporting,
    run: exportPerson,
  }),
  "customers erase": dataCommand({
    summary: "permanently erase a person's identifying data; sales and shipping records stay",
    flags: erasing,
    run: erasePerson,
  }),
};

const checkEmail = checkOf(DiscloseEmail);

/** A customer id or an email address. */
function personIn(person: string | undefined): { readonly customer: string } | { readonly email: string } {
  if (!person) throw new UsageError("name the person: a customer id such as cus_7, or an email address.");
  return readId("customer", person) === null ? checkEmail({ email: person }) : { customer: person };
}

// Retention that the operator has not set is the default: the flags of `serve` are not known here.
const flags = {
  event_retention_days: retention.event_payloads.default ?? 0,
  request_log_days: retention.request_log.default ?? 0,
};

async function exportPerson(options: FlagValues<typeof exporting>, stores: Stores): Promise<void> {
  const { mode } = options;
  const report = await exportPersonalData(stores[mode], personIn(options.person), { flags, for_operator: true });
  const targets = report.about.customers.slice(0, 50);
  await stores.live.write((tx) => recordCommand(tx, { mode, action: "exportPerson", targets }));
  const text = `${JSON.stringify(report, null, 2)}\n`;
  if (options.to && options.to !== "-") writeAtomically(options.to, text);
  else print(text.trimEnd());
  if (options.to) print(`${options.to}: ${report.records.reduce((sum, { rows }) => sum + rows.length, 0)} records`);
}

async function erasePerson(options: FlagValues<typeof erasing>, stores: Stores): Promise<void> {
  const { mode, "after-days": after_days = null } = options;
  const store = stores[mode];
  const person = personIn(options.person);
  const actor = { type: "system", id: "command_line", name: "Command line", request_id: null } as const;
  const begun = await store.write((tx) => {
    const request = { after_days, actor };
    return "customer" in person ? eraseCustomer(tx, person.customer, request) : eraseEmail(tx, person.email, request);
  });
  const targets = [wireId("erasure", begun.id)];
  await stores.live.write((tx) => recordCommand(tx, { mode, action: "askErasure", targets }));
  await eraseAllDue(store, join(options.data, erasures_file));
  await printErasure(store, begun.id, options.json);
}

async function printErasure(store: Store, id: number, as_json: boolean): Promise<void> {
  const { erasure, view } = await store.read(async (db) => {
    const erasure = await getErasure(db, wireId("erasure", id));
    return { erasure, view: erasureView(erasure, retentionPeriods(await retentionIn(db, flags)), db.now) };
  });
  if (as_json) print(JSON.stringify(view));
  else for (const line of linesOf(erasure, view)) print(line);
}

function linesOf({ status }: Erasure, view: ReturnType<typeof erasureView>): string[] {
  const state = { waiting: `is pending until ${view.next_check_at}`, running: "is in progress", done: "is done" }[
    status
  ];
  return [
    `${view.id} ${state}: ${view.customers.length === 0 ? "no customer found" : view.customers.join(", ")}`,
    ...view.erased.map(({ records, count }) => `  erased  ${String(count).padStart(6)} ${records}`),
    `  rest    deleted from events and logs by ${view.fully_erased_by}`,
    ...view.kept.map(
      ({ data, reason, legal_basis, ...kept }) =>
        `  kept    ${data}: ${reason}, ${kept.for}${legal_basis ? ` (${legal_basis})` : ""}`,
    ),
    ...view.receivers.map((receiver) => `  notify  ${receiver}, a webhook that received events about the person`),
    ...view.manual_steps.map((line) => `  by hand ${line}`),
  ];
}
