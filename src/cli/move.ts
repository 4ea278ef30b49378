// `packhouse move`: an installation from one place to another.

import { systemClock } from "../core/clock.ts";
import { childEnvironment, type Flags, type FlagValues, ownProgram, UsageError, variable } from "../core/config.ts";
import { type MoveResult, move, undoMove } from "../operations/move_installation.ts";
import { carryFiles } from "../operations/move_secrets.ts";
import { installationPlaceOf, isDatabase } from "../storage/installation_copy.ts";
import { type Commands, command, print } from "./command.ts";

const ends = {
  from: { type: "string", value: "FOLDER|URL", help: "where it is: a data directory, or postgres://…" },
  to: { type: "string", value: "FOLDER|URL", help: "where it goes: a data directory or a database without records" },
  "begin-anew": {
    type: "boolean",
    help: "delete what a move has left at the target, and begin from nothing",
  },
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
      "Addresses with a password are better given as variables: PACKHOUSE_FROM, PACKHOUSE_TO.",
    ],
    run,
  }),
};

async function run(given: FlagValues<typeof ends>): Promise<number> {
  const { from, to, json } = given;
  if (!from) throw new UsageError("--from is required: the data directory or the database that is moved.");
  if (!to) throw new UsageError("--to is required: an empty data directory or database to move into.");
  if (installationPlaceOf(from, "--from") === installationPlaceOf(to, "--to"))
    throw new UsageError("--from and --to are the same place.");
  const clock = systemClock();
  const terminal = process.stderr;
  if (given.undo) {
    const lost = await undoMove({ from, to, lose: given["lose-since-move"], clock, terminal });
    for (const line of lost) print(`lost: ${line}`);
    const [source, target] = [installationPlaceOf(from, "--from"), installationPlaceOf(to, "--to")];
    print(`packhouse serve serves ${source} again, and ${target} no longer.`);
    return 0;
  }
  const folder = (place: string, flag: "--from" | "--to") => (isDatabase(place, flag) ? null : place);
  const along = { from: folder(from, "--from"), to: folder(to, "--to"), given_key: variable("PACKHOUSE_SECRET_KEY") };
  const told = json ? (line: string) => terminal.write(`${line}\n`) : print;
  const begin_anew = given["begin-anew"];
  const carry = () => carryFiles(along);
  tell(await move({ from, to, begin_anew, clock, terminal, print: told, verify, takeAlong: carry }), json);
  return 0;
}

/** Runs `packhouse verify` on a place. It is another process, since the tables of this one are made for one engine. */
async function verify(place: string): Promise<string | null> {
  const database_url = isDatabase(place, "--from") ? place : null;
  const where = database_url === null ? ["--data", place] : [];
  const child = Bun.spawn([...ownProgram, "verify", ...where], {
    env: childEnvironment(database_url),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return code === 0 ? null : `${out}${err}`.trim() || `verify ended with ${code}`;
}

function tell(moved: MoveResult, as_json: boolean): void {
  if (as_json) {
    print(JSON.stringify(moved));
    return;
  }
  const { tables, rows, seconds } = moved;
  for (const { mode, table, rows } of tables) print(`${mode}: ${table.padEnd(24)} ${rows}`);
  const speed = Math.round(rows / seconds);
  print(`${rows} rows were moved in ${seconds.toFixed(1)} s (${speed} rows/s) and compared.`);
  print(`${moved.to} is the installation from now on. ${moved.from} is kept as it was, and is not served any more.`);
}
