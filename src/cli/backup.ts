// `packhouse backup`: one file of everything, while the service goes on.

import { resolve } from "node:path";
import { iso, systemClock } from "../core/clock.ts";
import { databaseUrl, type Flags, type FlagValues, UsageError, variable, version } from "../core/config.ts";
import { environments } from "../core/environment.ts";
import type { BackupRetention } from "../core/operator_settings.ts";
import { lowerPriority } from "../core/process.ts";
import { type ProgressBar, progressBar } from "../core/progress.ts";
import { archiveName, momentOfName } from "../operations/backups/archive.ts";
import { copyPostgres } from "../operations/backups/copy_postgres.ts";
import { copySqlite } from "../operations/backups/copy_sqlite.ts";
import { type Destination, namesToRemove } from "../operations/backups/destination.ts";
import { type MadeBackup, makeBackup } from "../operations/backups/make_backup.ts";
import { openArchive } from "../operations/backups/read_archive.ts";
import type { ArchiveDestination } from "../operations/log_archive/archive_destination.ts";
import { archivedRanges, firstBackup, neededBackups } from "../operations/log_archive/archived_ranges.ts";
import {
  archiveLocationOf,
  backupRetentionOf,
  destinationOf,
  location_forms,
  readBackup,
} from "../server/backup_locations.ts";
import { secretKeyAtHand } from "../server/secret_key.ts";
import { type Commands, command, type DataLocation, endingOf, jsonFlag, dataFlags as place, print } from "./command.ts";

const flags = {
  to: { type: "word", value: "[TO]", help: `${location_forms}; ./backups when absent` },
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
  ...jsonFlag,
  ...place,
} as const satisfies Flags;

const shown = {
  file: { type: "word", value: "FILE", help: "the backup: a file, or s3://bucket/key" },
  ...jsonFlag,
} as const satisfies Flags;

/** The commands of backups. */
export const backupCommands: Commands = {
  backup: command({ summary: "write everything into one file, also while the service runs", flags, run: backup }),
  "backup show": command({ summary: "read a backup to its end and say what is in it", flags: shown, run: show }),
};

const default_location = "./backups";
const mebibyte = 1024 * 1024;

async function backup(given: FlagValues<typeof flags> & DataLocation): Promise<number> {
  const data = given.data ?? "./data";
  const where = given.to ?? variable("PACKHOUSE_BACKUP_TO") ?? default_location;
  const to = destinationOf(where);
  const keep = given.keep === undefined ? null : backupRetentionOf(given.keep, "keep");
  const ending = endingOf(given.attended);
  process.umask(0o077);
  lowerPriority();
  let bar: ProgressBar | null = null;
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
      bar ??= progressBar("Copying (MiB)", Math.ceil(all_bytes / mebibyte), process.stderr);
      for (; drawn < Math.floor(done_bytes / mebibyte); drawn += 1) bar.step();
      if (done_bytes === all_bytes) bar.done();
    },
  });
  const { removed, problem } =
    keep === null ? { removed: [], problem: null } : await removeOld(to, keep, archiveLocationOf(where));
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
  keep: BackupRetention,
  shipped: ArchiveDestination,
): Promise<{ removed: string[]; problem: string | null }> {
  const removed: string[] = [];
  try {
    const all = (await to.list()).map(({ name }) => name);
    const moments = all.flatMap((name) => momentOfName(name) ?? []);
    const needed = neededBackups(await archivedRanges(shipped), moments);
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
  return environments.map((mode) => {
    const { at, commit } = worlds[mode];
    return `  ${mode}: as of ${at}${commit === null ? "" : `, commit ${commit}`}`;
  });
}

const keyLine = (included: boolean) =>
  included
    ? "  The secret key is in it: keep this file as you keep the key."
    : "  The secret key is not in it. Keep it in another place: without it, what is sealed in the data is lost.";

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

async function show({ file, json }: FlagValues<typeof shown>): Promise<number> {
  if (file === undefined) throw new UsageError("FILE is required: the backup.");
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

// `packhouse backup moments`: to which moments the data can be restored by what was shipped.

const momentsFlags = {
  to: { type: "word", value: "TO", help: "where the backups are kept" },
  ...jsonFlag,
} as const satisfies Flags;

/** The commands of what was shipped beside backups. */
export const continuousCommands: Commands = {
  "backup moments": command({
    summary: "tell to which moments the data can be restored",
    flags: momentsFlags,
    run: moments,
  }),
};

async function moments({ to, json }: FlagValues<typeof momentsFlags>): Promise<number> {
  if (to === undefined) throw new UsageError("TO is required: where the backups are kept.");
  const backups = (await destinationOf(to).list()).flatMap(({ name }) => momentOfName(name) ?? []);
  const found = (await archivedRanges(archiveLocationOf(to))).flatMap((range) => {
    const at = firstBackup(range, backups);
    return at === null ? [] : [{ range, from: { at, archive: archiveName(at) } }];
  });
  if (json) {
    for (const { range, from } of found) print(JSON.stringify({ ...range, ...from }));
    return 0;
  }
  if (found.length === 0)
    print(`No moments between the backups in ${resolve(to)}: nothing was shipped that follows one.`);
  for (const { range, from } of found) {
    const place = `${from.archive} and ${range.segments} segments`;
    print(`${range.world.padEnd(4)}  from ${iso(from.at)} to ${iso(range.most_at)}, by ${place}`);
  }
  return 0;
}
