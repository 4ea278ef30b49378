// `packhouse move`: an installation from one place to another.
import { type Commands, command, print } from "./command.ts";
import { childEnvironment, type Flags, type Given, ownProgram, variable, WrongUse } from "./config.ts";
import { isDatabase, placeOf } from "./database/ends/open_end.ts";
import { systemClock } from "./kit/clock.ts";
import { keyOfEnd, takeAlong } from "./moving/commands.ts";
import { type Moved, move, undoMove } from "./moving/jobs.ts";

const ends = {
  from: { type: "string", value: "FOLDER|URL", help: "where it is: a data directory, or postgres://…" },
  to: { type: "string", value: "FOLDER|URL", help: "where it goes: a data directory or a database without records" },
  "begin-anew": {
    type: "boolean",
    help: "delete what a move has left at the target, and begin from nothing",
  },
  merchant: {
    type: "string",
    value: "CODE",
    help: "move this merchant alone, once it is suspended; the target may hold others",
  },
  "from-secret-key": { type: "string", value: "KEY", help: "with --merchant: the secret key of --from" },
  "to-secret-key": { type: "string", value: "KEY", help: "with --merchant: the secret key of --to" },
  undo: { type: "boolean", help: "go back: let the source be served again, and the target no more" },
  "lose-since-move": { type: "boolean", help: "with --undo: although something was written at the target since" },
  json: { type: "boolean", help: "print what was moved as JSON, for scripts" },
} as const satisfies Flags;

export const moveCommands: Commands = {
  move: command({
    summary: "move an installation between the embedded database and PostgreSQL, or to another place",
    flags: ends,
    notes: async () => [
      "",
      "Stop all servers first. Every row is read again at both ends and compared; verify must find 0 differences at",
      "the target; until then the source is served as before. Killed or failed, the same command goes on where it was.",
      "With --merchant, it keeps its ids; it arrives suspended, and is closed where it was.",
      "Addresses with a password and keys are better given as variables: PACKHOUSE_FROM, PACKHOUSE_TO_SECRET_KEY.",
    ],
    run,
  }),
};

async function run(given: Given<typeof ends>): Promise<number> {
  const { from, to, json } = given;
  if (!from) throw new WrongUse("--from is required: the data directory or the database that is moved.");
  if (!to) throw new WrongUse("--to is required: an empty data directory or database to move into.");
  if (placeOf(from, "--from") === placeOf(to, "--to")) throw new WrongUse("--from and --to are the same place.");
  const clock = systemClock();
  const terminal = process.stderr;
  if (given.merchant) return runMerchant({ ...given, from, to, merchant: given.merchant });
  if (given.undo) {
    const lost = await undoMove({ from, to, lose: given["lose-since-move"], clock, terminal });
    for (const line of lost) print(`lost: ${line}`);
    print(`${placeOf(from, "--from")} is served again by packhouse serve, and ${placeOf(to, "--to")} no more.`);
    return 0;
  }
  const folder = (place: string, flag: "--from" | "--to") => (isDatabase(place, flag) ? null : place);
  const along = { from: folder(from, "--from"), to: folder(to, "--to"), given_key: variable("PACKHOUSE_SECRET_KEY") };
  const told = json ? (line: string) => terminal.write(`${line}\n`) : print;
  const begin_anew = given["begin-anew"];
  const carry = () => takeAlong(along);
  tell(
    await move({ from, to, begin_anew, clock, terminal, print: told, verify: (at) => verify(at), takeAlong: carry }),
    json,
  );
  return 0;
}

type MerchantGiven = Given<typeof ends> & { readonly from: string; readonly to: string; readonly merchant: string };

async function runMerchant(given: MerchantGiven): Promise<number> {
  const { from, to, merchant, json } = given;
  const { moveMerchant, undoMerchant } = await import("./moving/merchants/jobs.ts");
  if (given.undo) {
    await undoMerchant({ from, to, merchant });
    print(`Nothing of ${merchant} is at ${placeOf(to, "--to")}, which is served again by packhouse serve.`);
    return 0;
  }
  const terminal = process.stderr;
  const keyOf = (flag: "--from" | "--to", place: string, seal: string | null) => {
    const own = given[flag === "--from" ? "from-secret-key" : "to-secret-key"] ?? null;
    const data = isDatabase(place, flag) ? null : place;
    return keyOfEnd({ data, own, given: variable("PACKHOUSE_SECRET_KEY"), flag, seal });
  };
  const moved = await moveMerchant({
    ...{ from, to, merchant, clock: systemClock(), terminal, verify },
    print: json ? (line) => terminal.write(`${line}\n`) : print,
    keysOf: ({ source, target }) => ({ source: keyOf("--from", from, source), target: keyOf("--to", to, target) }),
  });
  if (json) {
    print(JSON.stringify(moved));
    return 0;
  }
  tellRows(moved);
  const place = isDatabase(to, "--to") ? "--database-url URL" : `--data ${to}`;
  print(
    `${merchant} is at ${moved.to} from now on, suspended. At ${moved.from} it is closed; its records are kept there.`,
  );
  print(`Let its orders go on by packhouse merchants reactivate --merchant ${merchant} ${place}.`);
  print("Its keys, webhooks and secrets are valid there, at another address. Its people are asked in anew.");
  return 0;
}

/**
 * Runs `packhouse verify` on a place, with another secret key than the one at hand where it is given. It is another
 * process, since the tables of this one are made for one engine.
 */
async function verify(place: string, key?: Uint8Array | null): Promise<string | null> {
  const database_url = isDatabase(place, "--from") ? place : null;
  const where = database_url === null ? ["--data", place] : [];
  const keyed = key === undefined ? {} : { PACKHOUSE_SECRET_KEY: key === null ? "" : Buffer.from(key).toString("hex") };
  const child = Bun.spawn([...ownProgram, "verify", ...where], {
    env: { ...childEnvironment(database_url), ...keyed },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return code === 0 ? null : `${out}${err}`.trim() || `verify ended with ${code}`;
}

function tell(moved: Moved, as_json: boolean): void {
  if (as_json) {
    print(JSON.stringify(moved));
    return;
  }
  tellRows(moved);
  print(`${moved.to} is the installation from now on. ${moved.from} is kept as it was, and is not served any more.`);
}

function tellRows({ tables, rows, seconds }: Moved): void {
  for (const { mode, table, rows } of tables) print(`${mode}: ${table.padEnd(24)} ${rows}`);
  const speed = Math.round(rows / seconds);
  print(`${rows} rows were moved in ${seconds.toFixed(1)} s (${speed} rows/s) and compared.`);
}
