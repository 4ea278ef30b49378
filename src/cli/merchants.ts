// `packhouse merchants …`: manages merchants. A running server applies a change within a second.

import { type Flags, type FlagValues, UsageError } from "../core/config.ts";
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
import type { Tx } from "../storage/database.ts";
import type { Stores } from "../storage/open_stores.ts";
import { type CommandOutput, type DataCommand, dataCommand, jsonFlag, modeFlag, modeOf } from "./command.ts";

const named = {
  merchant: { type: "string", value: "CODE|mer_N", help: "the merchant's code or id from `merchants list`" },
} as const satisfies Flags;

const described = {
  code: { type: "string", value: "CODE", help: "short code: 2 to 12 of A to Z, 0 to 9 and -" },
  name: { type: "string", value: "NAME", help: "display name" },
  "legal-name": { type: "string", value: "NAME", help: "name on contracts" },
  currency: { type: "string", value: "USD", help: "ISO 4217 code (the first merchant's)" },
  timezone: { type: "string", value: "ZONE", help: "IANA time zone (the first warehouse's)" },
} as const satisfies Flags;

/** The `merchants` commands by their second word. */
export const merchantCommands: Readonly<Record<string, DataCommand>> = {
  create: dataCommand({
    summary: "create a merchant in both environments",
    flags: { ...described, ...jsonFlag },
    run: create,
  }),
  list: dataCommand({ summary: "list merchants", flags: jsonFlag, run: list }),
  suspend: dataCommand({
    summary: "suspend a merchant: orders are accepted, but none is sent to picking",
    flags: { ...named, ...jsonFlag },
    run: (stores, options, output) => act(stores, options, output, "suspendMerchant", suspendMerchant),
  }),
  reactivate: dataCommand({
    summary: "reactivate a suspended merchant and release its orders",
    flags: { ...named, ...jsonFlag },
    run: (stores, options, output) => act(stores, options, output, "reactivateMerchant", reactivateMerchant),
  }),
  close: dataCommand({
    summary: "permanently close a merchant that has no open orders and no stock",
    flags: { ...named, ...jsonFlag },
    run: async (stores, options, output) => {
      const left = await openWorkSourceOf(stores, nameIn(options));
      await act(stores, options, output, "closeMerchant", (tx, name) => closeMerchant(tx, name, left));
    },
  }),
};

/** `packhouse export --merchant CODE --to FOLDER`: writes all records of one merchant as files. */
export const wholeExport: DataCommand = dataCommand({
  summary: "write all records of one merchant to a folder, as CSV and JSON",
  flags: {
    ...named,
    to: { type: "string", value: "FOLDER", help: "target folder, created if missing" },
    ...modeFlag,
  },
  run: async (stores, { merchant, to, mode: word }, { print }) => {
    if (!merchant || !to) {
      const tables = "name what to export: products, stock, orders or movements";
      throw new UsageError(`${tables}; or use --merchant CODE --to FOLDER for all records of a merchant.`);
    }
    const mode = modeOf(word);
    const { exportMerchant } = await import("./merchant_export.ts");
    const written = await exportMerchant(stores, mode, merchant, to, process.stderr);
    for (const { name, count } of written) print(`${mode}: ${name.padEnd(22)} ${count}`);
  },
});

const checkMerchant = checkOf(CreateMerchant);

async function create(
  stores: Stores,
  options: FlagValues<typeof described & typeof jsonFlag>,
  output: CommandOutput,
): Promise<void> {
  const { code, name, currency, timezone } = options;
  if (!code) throw new UsageError("--code is required: a short code, such as ACME.");
  if (!name) throw new UsageError("--name is required: the merchant's display name.");
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

async function list({ live }: Stores, options: { json: boolean }, output: CommandOutput): Promise<void> {
  for (const merchant of await live.read(listMerchants)) printMerchant(merchant, options.json, output);
}

type NamedMerchantFlags = FlagValues<typeof named & typeof jsonFlag>;

function nameIn({ merchant }: NamedMerchantFlags): string {
  if (!merchant) throw new UsageError("--merchant is required: the merchant's code or id from `merchants list`.");
  return merchant;
}

async function act(
  stores: Stores,
  options: NamedMerchantFlags,
  output: CommandOutput,
  action: string,
  work: (tx: Tx, name: string) => Promise<Merchant>,
): Promise<void> {
  const name = nameIn(options);
  printMerchant(await changeMerchant(stores, action, (tx) => work(tx, name)), options.json, output);
}

/** Changes a merchant in live, with an entry in the audit log, and copies the merchants to test. */
async function changeMerchant(stores: Stores, action: string, work: (tx: Tx) => Promise<Merchant>): Promise<Merchant> {
  const merchant = await stores.live.write(async (tx) => {
    const done = await work(tx);
    await recordCommand(tx, { world: "live", action, targets: [wireId("merchant", done.id)] });
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
