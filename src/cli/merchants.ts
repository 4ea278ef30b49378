// `packhouse merchants …`: manages merchants. A running server applies a change within a second.

import { UsageError } from "../core/config.ts";
import { type FlagValues, text } from "../core/flags.ts";
import { wireId } from "../core/ids.ts";
import { checkOf } from "../core/schema.ts";
import { recordCommand } from "../identity/audit_log/audit_log.sql.ts";
import { CreateMerchant } from "../merchants/merchant.schema.ts";
import { merchantStarts } from "../merchants/merchant.transitions.ts";
import { type Merchant, merchantView } from "../merchants/merchant.ts";
import { copyMerchants, openWorkSourceOf, timezoneOf } from "../merchants/merchants.jobs.ts";
import { listMerchants } from "../merchants/merchants.sql.ts";
import { closeMerchant, createMerchant, reactivateMerchant, suspendMerchant } from "../merchants/merchants.ts";
import { settleSuspended } from "../orders/orders.jobs.ts";
import { contentsAt } from "../server/backup_locations.ts";
import { filesFlag } from "../server/serve_settings.ts";
import type { Tx } from "../storage/database.ts";
import type { Stores } from "../storage/open_stores.ts";
import { type Command, type CommandOutput, type Commands, dataCommand, jsonFlag, namedModeFlag } from "./command.ts";

const code_or_id = "the merchant's code or id from `merchants list`";

const described = {
  code: text({
    value: "CODE",
    help: "short code: 2 to 12 of A to Z, 0 to 9 and -",
    required: "a short code, such as ACME",
  }),
  name: text({ value: "NAME", help: "display name", required: "the merchant's display name" }),
  "legal-name": text({ value: "NAME", help: "name on contracts" }),
  currency: text({ value: "USD", help: "ISO 4217 code (the first merchant's)" }),
  timezone: text({ value: "ZONE", help: "IANA time zone (the first warehouse's)" }),
  ...jsonFlag,
};

/** The `merchants` commands. */
export const merchantCommands: Commands = {
  "merchants create": dataCommand({
    summary: "create a merchant in both environments",
    flags: described,
    run: create,
  }),
  "merchants list": dataCommand({
    summary: "list merchants",
    flags: jsonFlag,
    run: async ({ json }, { live }, output) => {
      for (const merchant of await live.read(listMerchants)) printMerchant(merchant, json, output);
    },
  }),
  "merchants suspend": changing(
    "suspendMerchant",
    "suspend a merchant: orders are accepted, but none is sent to picking",
    async () => suspendMerchant,
  ),
  "merchants reactivate": changing(
    "reactivateMerchant",
    "reactivate a suspended merchant and release its orders",
    async () => reactivateMerchant,
  ),
  "merchants close": changing(
    "closeMerchant",
    "permanently close a merchant that has no open orders and no stock",
    async (stores, name) => {
      const left = await openWorkSourceOf(stores, name);
      return (tx) => closeMerchant(tx, name, left);
    },
  ),
};

/** Declares a command that changes a merchant with the act that `prepare` returns. */
function changing(
  action: string,
  summary: string,
  prepare: (stores: Stores, name: string) => Promise<(tx: Tx, name: string) => Promise<Merchant>>,
): Command {
  return dataCommand({
    summary,
    flags: { merchant: text({ value: "CODE|mer_N", help: code_or_id, required: code_or_id }), ...jsonFlag },
    run: async ({ merchant: name, json }, stores, output) => {
      const act = await prepare(stores, name);
      printMerchant(await changeMerchant(stores, action, (tx) => act(tx, name)), json, output);
    },
  });
}

/** `packhouse export --merchant CODE --to FOLDER --mode MODE`: writes all records of one merchant as files. */
export const wholeExport: Command = dataCommand({
  summary: "write all records of one merchant to a folder, as CSV and JSON",
  flags: {
    merchant: text({ value: "CODE|mer_N", help: code_or_id }),
    to: text({ value: "FOLDER", help: "target folder, created if missing" }),
    files: filesFlag,
    ...namedModeFlag,
  },
  run: async ({ merchant, to, files, data, mode }, stores, { print }) => {
    if (!merchant || !to) {
      const tables = "name what to export: products, stock, orders or movements";
      throw new UsageError(`${tables}; or use --merchant CODE --to FOLDER for all records of a merchant.`);
    }
    // A merchant that leaves would otherwise get a folder of test data that looks complete.
    if (mode === undefined) throw new UsageError("--mode is required: live or test, the environment to export.");
    const { exportMerchant } = await import("./merchant_export.ts");
    const contents = contentsAt(files, data);
    const written = await exportMerchant({ stores, contents }, mode, merchant, to, process.stderr);
    for (const { name, count } of written) print(`${mode}: ${name.padEnd(22)} ${count}`);
  },
});

const checkMerchant = checkOf(CreateMerchant);

async function create(options: FlagValues<typeof described>, stores: Stores, output: CommandOutput): Promise<void> {
  const { code, name, currency, timezone } = options;
  const legal_name = options["legal-name"];
  const input = checkMerchant({
    code,
    name,
    ...(legal_name !== undefined && { legal_name }),
    ...(currency !== undefined && { currency }),
    ...(timezone !== undefined && { timezone }),
  });
  const createIn = async (tx: Tx) => createMerchant(tx, input, await timezoneOf(tx));
  printMerchant(await changeMerchant(stores, "createMerchant", createIn), options.json, output);
}

/** Changes a merchant in live, with an entry in the audit log, and copies the merchants to test. */
async function changeMerchant(stores: Stores, action: string, work: (tx: Tx) => Promise<Merchant>): Promise<Merchant> {
  const merchant = await stores.live.write(async (tx) => {
    const done = await work(tx);
    await recordCommand(tx, { mode: "live", action, targets: [wireId("merchant", done.id)] });
    return done;
  });
  await copyMerchants(stores);
  // A running server may not notice the change, so this command holds or releases the orders.
  for (const store of [stores.live, stores.test]) await settleSuspended(store, { ending });
  return merchant;
}

const { signal: ending } = new AbortController();

function printMerchant(merchant: Merchant, as_json: boolean, { print }: CommandOutput): void {
  const { code, name, status, currency, timezone } = merchant;
  const state = status === merchantStarts ? "" : `  ${status}`;
  const id = wireId("merchant", merchant.id).padEnd(10);
  const line = `${id} ${code.padEnd(12)} ${name}  ${currency}  ${timezone}${state}`;
  print(as_json ? JSON.stringify(merchantView(merchant)) : line);
}
