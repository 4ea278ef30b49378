// `packhouse merchants …`: merchants on the command line. A running server applies a change within a second.

import { type Flags, type FlagValues, UsageError } from "../core/config.ts";
import { environments } from "../core/environment.ts";
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
import type { CommandOutput, DataCommand } from "./keys.ts";

const command = <F extends Flags>(it: DataCommand<F>): DataCommand => it as unknown as DataCommand;

const json = { json: { type: "boolean", help: "print JSON for scripts" } } as const satisfies Flags;
const named = {
  merchant: { type: "string", value: "CODE|mer_N", help: "the merchant, as `merchants list` names it" },
} as const satisfies Flags;

const described = {
  code: { type: "string", value: "CODE", help: "what it is called by: 2 to 12 of A to Z, 0 to 9 and -" },
  name: { type: "string", value: "NAME", help: "what people call it" },
  "legal-name": { type: "string", value: "NAME", help: "what stands on contracts" },
  currency: { type: "string", value: "USD", help: "the ISO 4217 code; that of the first merchant unless given" },
  timezone: { type: "string", value: "ZONE", help: "an IANA time zone; that of the first warehouse unless given" },
} as const satisfies Flags;

export const merchantCommands: Readonly<Record<string, DataCommand>> = {
  create: command({
    summary: "make a merchant, in both worlds",
    flags: { ...described, ...json },
    run: create,
  }),
  list: command({ summary: "list merchants", flags: json, run: list }),
  suspend: command({
    summary: "let a merchant's orders come in and wait: none goes to the floor",
    flags: { ...named, ...json },
    run: (stores, given, voice) => act(stores, given, voice, "suspendMerchant", suspendMerchant),
  }),
  reactivate: command({
    summary: "let the orders of a suspended merchant go on",
    flags: { ...named, ...json },
    run: (stores, given, voice) => act(stores, given, voice, "reactivateMerchant", reactivateMerchant),
  }),
  close: command({
    summary: "close a merchant for good, once it has no open order and no stock",
    flags: { ...named, ...json },
    run: async (stores, given, voice) => {
      const left = await openWorkSourceOf(stores, nameIn(given));
      await act(stores, given, voice, "closeMerchant", (tx, name) => closeMerchant(tx, name, left));
    },
  }),
};

/** Everything of one merchant as files: `packhouse export --merchant CODE --to FOLDER`. */
export const wholeExport: DataCommand = command({
  summary: "write all there is of one merchant into a folder, as CSV and JSON",
  flags: {
    ...named,
    to: { type: "string", value: "FOLDER", help: "where to; it is made where it is missing" },
    mode: { type: "string", value: "live|test", default: "test", help: "which of the two worlds" },
  },
  run: async (stores, { merchant, to, mode: world }, { print }) => {
    if (!merchant || !to) {
      const one = "say products, stock, orders or movements";
      throw new UsageError(`${one}, or --merchant CODE --to FOLDER for all there is of a merchant.`);
    }
    const mode = environments.find((mode) => mode === world);
    if (mode === undefined) throw new UsageError("--mode must be live or test.");
    const { exportMerchant } = await import("./merchant_export.ts");
    const written = await exportMerchant(stores, mode, merchant, to, process.stderr);
    for (const { name, count } of written) print(`${mode}: ${name.padEnd(22)} ${count}`);
  },
});

const checkMerchant = checkOf(CreateMerchant);

async function create(
  stores: Stores,
  given: FlagValues<typeof described & typeof json>,
  voice: CommandOutput,
): Promise<void> {
  const { code, name, currency, timezone } = given;
  if (!code) throw new UsageError("--code is required: what the merchant is called by, such as ACME.");
  if (!name) throw new UsageError("--name is required: what people call the merchant.");
  const legal_name = given["legal-name"];
  const input = checkMerchant({
    code,
    name,
    ...(legal_name !== undefined && { legal_name }),
    ...(currency !== undefined && { currency }),
    ...(timezone !== undefined && { timezone }),
  });
  const make = async (tx: Tx) => createMerchant(tx, input, await timezoneOf(tx));
  printMerchant(await written(stores, "createMerchant", make), given.json, voice);
}

async function list({ live }: Stores, given: { json: boolean }, voice: CommandOutput): Promise<void> {
  for (const merchant of await live.read(listMerchants)) printMerchant(merchant, given.json, voice);
}

type NamedMerchantFlags = FlagValues<typeof named & typeof json>;

function nameIn({ merchant }: NamedMerchantFlags): string {
  if (!merchant) throw new UsageError("--merchant is required: the merchant as `merchants list` names it.");
  return merchant;
}

async function act(
  stores: Stores,
  given: NamedMerchantFlags,
  voice: CommandOutput,
  action: string,
  work: (tx: Tx, name: string) => Promise<Merchant>,
): Promise<void> {
  const name = nameIn(given);
  printMerchant(await written(stores, action, (tx) => work(tx, name)), given.json, voice);
}

/** Changes merchants in the live world, with an entry in the audit trail, and copies them to the test world. */
async function written(stores: Stores, action: string, work: (tx: Tx) => Promise<Merchant>): Promise<Merchant> {
  const merchant = await stores.live.write(async (tx) => {
    const done = await work(tx);
    await recordCommand(tx, { world: "live", action, targets: [wireId("merchant", done.id)] });
    return done;
  });
  await copyMerchants(stores);
  // A server beside this command may not learn of it, so that the orders are held, or let go, here.
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
