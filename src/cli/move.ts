// `packhouse move`: migrates an installation to another place or database engine.

import { systemClock } from "../core/clock.ts";
import { childEnvironment, ownProgram, UsageError, variable } from "../core/config.ts";
import { type FlagValues, flag, text } from "../core/flags.ts";
import { type MoveResult, move, undoMove } from "../operations/move_installation.ts";
import { carryFiles } from "../operations/move_secrets.ts";
import { contentsAt } from "../server/backup_locations.ts";
import { installationPlaceOf, isDatabase } from "../storage/installation_copy.ts";
import { type Commands, command, print } from "./command.ts";

const ends = {
  from: text({
    value: "FOLDER|URL",
    help: "source: a data directory, or postgres://…",
    required: "the data directory or database to migrate",
  }),
  to: text({
    value: "FOLDER|URL",
    help: "target: an empty data directory or an empty database",
    required: "an empty data directory or database",
  }),
  "files-from": text({ value: "PLACE", help: "the source's uploaded files (--files), if not in its data directory" }),
  "files-to": text({ value: "PLACE", help: "where to copy uploaded files: a folder or s3://bucket/prefix" }),
  "begin-anew": flag("delete the remains of an earlier move at the target and start from scratch"),
  undo: flag("undo the move: the source can be served again, the target no longer"),
  "lose-since-move": flag("with --undo: discard what was written at the target since the move"),
  json: flag("print the result as JSON for scripts"),
};

/** `move`. */
export const moveCommands: Commands = {
  move: command({
    summary: "migrate an installation between the embedded database and PostgreSQL, or to another place",
    flags: ends,
    notes: async () => [
      "",
      "Stop all servers first. Every row is copied, read back and compared, and verify must find 0 differences at the",
      "target. Uploaded files are copied and compared, too. Until then the source stays in use. If the move is",
      "interrupted, run the same command again to continue.",
      "Pass URLs that contain a password in the environment variables PACKHOUSE_FROM and PACKHOUSE_TO.",
    ],
    run,
  }),
};

async function run(options: FlagValues<typeof ends>): Promise<void> {
  const { from, to, json } = options;
  if (installationPlaceOf(from, "--from") === installationPlaceOf(to, "--to"))
    throw new UsageError("--from and --to are the same place.");
  const clock = systemClock();
  const terminal = process.stderr;
  if (options.undo) {
    const lost = await undoMove({ from, to, lose: options["lose-since-move"], clock, terminal });
    for (const line of lost) print(`lost: ${line}`);
    const [source, target] = [installationPlaceOf(from, "--from"), installationPlaceOf(to, "--to")];
    print(`packhouse serve serves ${source} again, and ${target} no longer.`);
    return;
  }
  const folder = (place: string, flag: "--from" | "--to") => (isDatabase(place, flag) ? null : place);
  const [source, target] = [folder(from, "--from"), folder(to, "--to")];
  const contentsOf = (place: string | undefined, data: string | null) =>
    place === undefined && data === null ? null : contentsAt(place, data ?? "");
  const contents = { from: contentsOf(options["files-from"], source), to: contentsOf(options["files-to"], target) };
  const files = { from: source, to: target, given_key: variable("PACKHOUSE_SECRET_KEY"), contents };
  const printProgress = json ? (line: string) => terminal.write(`${line}\n`) : print;
  const begin_anew = options["begin-anew"];
  const knows_files = contents.from !== null && contents.to !== null;
  const takeAlong = () => carryFiles(files);
  printResult(
    await move({ from, to, begin_anew, clock, terminal, print: printProgress, verify, knows_files, takeAlong }),
    json,
  );
}

/**
 * Runs `packhouse verify` on a place in another process, because the tables of this process are built for one engine.
 * Returns its output if it found differences or failed, otherwise null.
 */
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

function printResult(moved: MoveResult, as_json: boolean): void {
  if (as_json) {
    print(JSON.stringify(moved));
    return;
  }
  const { tables, rows, seconds } = moved;
  for (const { mode, table, rows } of tables) print(`${mode}: ${table.padEnd(24)} ${rows}`);
  const speed = Math.round(rows / seconds);
  print(`Copied and compared ${rows} rows in ${seconds.toFixed(1)} s (${speed} rows/s).`);
  print(`${moved.to} is now the installation. ${moved.from} is unchanged and can no longer be served.`);
}
