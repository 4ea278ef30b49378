// `packhouse backup`: one file of everything, while the service goes on.

import { destinationOf, keepingOf, place_forms, readBackup, shippedPlaceOf } from "./backup_places.ts";
import { momentOfName } from "./backups/archive/names.ts";
import { openArchive } from "./backups/archive/reader.ts";
import type { ShippedPlace } from "./backups/continuous/place.ts";
import { neededBackups, shippedRanges } from "./backups/continuous/ranges.ts";
import type { Destination } from "./backups/destinations/destination.ts";
import { namesToRemove } from "./backups/destinations/keeping.ts";
import { type MadeBackup, makeBackup } from "./backups/making/make.ts";
import { copyPostgres } from "./backups/making/postgres.ts";
import { copySqlite } from "./backups/making/sqlite.ts";
import { asJson, type Commands, command, endingOf, type Place, place, print } from "./command.ts";
import { databaseUrl, type Flags, type Given, variable, version, WrongUse } from "./config.ts";
import type { Keeping } from "./kit/backup_plan.ts";
import { systemClock } from "./kit/clock.ts";
import { modes } from "./kit/mode.ts";
import { giveWay } from "./kit/priority.ts";
import { type Progress, progress } from "./kit/progress.ts";
import { secretKeyAtHand } from "./secret_key.ts";

const flags = {
  to: { type: "word", value: "[TO]", help: `${place_forms}; ./backups when absent` },
  "with-key": {
    type: "boolean",
    help: "put the secret key in: who has the file can then read every secret that the data holds",
  },
  keep: {
    type: "string",
    value: "H,D,M",
    help: "then remove older backups there: all but the last of so many hours, days and months, such as 24,30,12",
  },
  attended: { type: "boolean", help: "give up when the input ends, as when the program that began it is gone" },
  ...asJson,
  ...place,
} as const satisfies Flags;

const shown = {
  file: { type: "word", value: "FILE", help: "the backup: a file, or s3://bucket/key" },
  ...asJson,
} as const satisfies Flags;

/** The commands of backups. */
export const backupCommands: Commands = {
  backup: command({ summary: "write everything into one file, also while the service runs", flags, run: backup }),
  "backup show": command({ summary: "read a backup to its end and say what is in it", flags: shown, run: show }),
};

const usual_place = "./backups";
const mebibyte = 1024 * 1024;

async function backup(given: Given<typeof flags> & Place): Promise<number> {
  const data = given.data ?? "./data";
  const where = given.to ?? variable("PACKHOUSE_BACKUP_TO") ?? usual_place;
  const to = destinationOf(where);
  const keep = given.keep === undefined ? null : keepingOf(given.keep, "keep");
  const ending = endingOf(given.attended);
  process.umask(0o077);
  giveWay();
  let bar: Progress | null = null;
  let drawn = 0;
  const made = await makeBackup({
    data,
    to,
    ending,
    packhouse: version,
    secret_key: secretKeyAtHand(data, databaseUrl),
    with_key: given["with-key"],
    clock: systemClock(),
    copy: () => (databaseUrl === null ? copySqlite(data) : copyPostgres(databaseUrl, data, ending)),
    onProgress: (done_bytes, all_bytes) => {
      if (!process.stderr.isTTY) return;
      bar ??= progress("Copying (MiB)", Math.ceil(all_bytes / mebibyte), process.stderr);
      for (; drawn < Math.floor(done_bytes / mebibyte); drawn += 1) bar.step();
      if (done_bytes === all_bytes) bar.done();
    },
  });
  const { removed, problem } =
    keep === null ? { removed: [], problem: null } : await removeOld(to, keep, shippedPlaceOf(where));
  const warnings = [...made.warnings, ...(problem === null ? [] : [`Older backups could not be removed: ${problem}`])];
  if (given.json) print(JSON.stringify({ ...made, removed, warnings }));
  else for (const line of [...linesOf(made), ...removed.map((name) => `Removed ${name}`), ...warnings]) print(line);
  return 0;
}

/**
 * Removes what is not to be kept, now that a newer one is there: none from which shipped commits lead on. Answers the
 * names, and what went wrong.
 */
async function removeOld(
  to: Destination,
  keep: Keeping,
  shipped: ShippedPlace,
): Promise<{ removed: string[]; problem: string | null }> {
  const removed: string[] = [];
  try {
    const all = (await to.list()).map(({ name }) => name);
    const moments = all.flatMap((name) => momentOfName(name) ?? []);
    const needed = neededBackups(await shippedRanges(shipped), moments);
    for (const name of namesToRemove(all, keep, needed)) {
      await to.remove(name);
      removed.push(name);
    }
    return { removed, problem: null };
  } catch (error) {
    return { removed, problem: error instanceof Error ? error.message : String(error) };
  }
}

function linesOf({ place, size_bytes, read_bytes, sha256, worlds, secret_key, seconds }: MadeBackup): string[] {
  const sizes = `${megabytes(size_bytes)}, of ${megabytes(read_bytes)} that were read in ${seconds.toFixed(1)} s`;
  return [
    `Backed up to ${place}`,
    `  ${sizes}`,
    `  sha256 ${sha256}`,
    ...momentsOf(worlds),
    keyLine(secret_key.included),
    `To restore it: packhouse restore ${place} --into FOLDER`,
  ];
}

function momentsOf(worlds: MadeBackup["worlds"]): string[] {
  return modes.map((mode) => {
    const { at, commit } = worlds[mode];
    return `  ${mode}: as of ${at}${commit === null ? "" : `, commit ${commit}`}`;
  });
}

const keyLine = (included: boolean) =>
  included
    ? "  The secret key is in it: keep this file as you keep the key."
    : "  The secret key is not in it. Keep it in another place: without it, what is sealed in the data is lost.";

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

async function show({ file, json }: Given<typeof shown>): Promise<number> {
  if (file === undefined) throw new WrongUse("FILE is required: the backup.");
  const { manifest, entries } = await openArchive(readBackup(file), file);
  const files: { name: string; size_bytes: number }[] = [];
  for await (const { name, size_bytes } of entries) files.push({ name, size_bytes });
  if (json) {
    print(JSON.stringify({ ...manifest, files }));
    return 0;
  }
  const { packhouse, engine, made_at, worlds, secret_key } = manifest;
  print(`A backup of ${made_at}, made by Packhouse ${packhouse} of ${engine}. All of it is as its sums say.`);
  for (const line of [...momentsOf(worlds), keyLine(secret_key.included)]) print(line);
  for (const { name, size_bytes } of files) print(`  ${name.padEnd(20)} ${megabytes(size_bytes)}`);
  return 0;
}
