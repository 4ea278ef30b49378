// `packhouse backup`: writes everything into one file while the service runs, and lists the times that can be restored.

import { resolve } from "node:path";
import { iso, systemClock } from "../core/clock.ts";
import { databaseUrl, variable, version } from "../core/config.ts";
import { environments } from "../core/environment.ts";
import { type FlagValues, flag, word } from "../core/flags.ts";
import type { BackupRetention } from "../core/operator_settings.ts";
import { lowerPriority } from "../core/process.ts";
import { type ProgressBar, progressBar } from "../core/progress.ts";
import { archiveName, momentOfName } from "../operations/backups/archive.ts";
import { withContents } from "../operations/backups/copy_files.ts";
import { copyPostgres } from "../operations/backups/copy_postgres.ts";
import { copySqlite } from "../operations/backups/copy_sqlite.ts";
import { type Destination, namesToRemove } from "../operations/backups/destination.ts";
import { type MadeBackup, makeBackup } from "../operations/backups/make_backup.ts";
import { openArchive } from "../operations/backups/read_archive.ts";
import type { ArchiveDestination } from "../operations/log_archive/archive_destination.ts";
import { archivedRanges, firstBackup, neededBackups } from "../operations/log_archive/archived_ranges.ts";
import {
  archiveLocationOf,
  contentsAt,
  destinationOf,
  location_forms,
  readBackup,
} from "../server/backup_locations.ts";
import { secretKeyAtHand } from "../server/secret_key.ts";
import { filesFlag, retentionFlag } from "../server/serve_settings.ts";
import { attendedFlag, type Commands, command, dataFlags, endingOf, jsonFlag, print } from "./command.ts";

const flags = {
  to: word({ value: "[TO]", help: `${location_forms} (./backups)` }),
  "with-key": flag("include the secret key; anyone with the file can then decrypt every stored secret"),
  keep: retentionFlag({
    help: "afterwards delete older backups except the last of each of H hours, D days and M months, e.g. 24,30,12",
  }),
  files: filesFlag,
  ...attendedFlag,
  ...jsonFlag,
  ...dataFlags,
};

const shown = {
  file: word({ value: "FILE", help: "the backup: a file, or s3://bucket/key", required: "the backup" }),
  ...jsonFlag,
};

const searched = {
  to: word({ value: "TO", help: "where the backups are kept", required: "where the backups are kept" }),
  ...jsonFlag,
};

/** `backup` and `backup show`. */
export const backupCommands: Commands = {
  backup: command({ summary: "back up everything to one file, also while the service runs", flags, run: backup }),
  "backup show": command({ summary: "verify a backup's checksums and list its contents", flags: shown, run: show }),
};
/** `backup moments`: the times that backups and the log archive can restore. */
export const momentCommands: Commands = {
  "backup moments": command({
    summary: "list the times that the data can be restored to",
    flags: searched,
    run: moments,
  }),
};

const default_location = "./backups";
const mebibyte = 1024 * 1024;

async function backup({ data, keep, ...options }: FlagValues<typeof flags>): Promise<void> {
  const where = options.to ?? variable("PACKHOUSE_BACKUP_TO") ?? default_location;
  const to = destinationOf(where);
  const contents = contentsAt(options.files, data);
  const ending = endingOf(options.attended);
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
    with_key: options["with-key"],
    clock: systemClock(),
    copy: async () =>
      withContents(databaseUrl === null ? copySqlite(data) : await copyPostgres(databaseUrl, data, ending), contents),
    onProgress: (done_bytes, all_bytes) => {
      if (!process.stderr.isTTY) return;
      bar ??= progressBar("Copying (MiB)", Math.ceil(all_bytes / mebibyte), process.stderr);
      for (; drawn < Math.floor(done_bytes / mebibyte); drawn += 1) bar.step();
      if (done_bytes === all_bytes) bar.done();
    },
  });
  const { removed, problem } =
    keep === undefined ? { removed: [], problem: null } : await removeOld(to, keep, archiveLocationOf(where));
  const warnings = [...made.warnings, ...(problem === null ? [] : [`Older backups could not be removed: ${problem}`])];
  if (options.json) print(JSON.stringify({ ...made, removed, warnings }));
  else for (const line of [...linesOf(made), ...removed.map((name) => `Removed ${name}`), ...warnings]) print(line);
}

/** Time within which the commits after a backup may not be archived yet, so that it may still become a base. */
const unarchived_ms = 60_000;

/**
 * Removes the backups that `keep` does not cover, except recent ones and those that the log archive
 * continues from. Returns the removed names and, after a failure, its message.
 */
async function removeOld(
  to: Destination,
  keep: BackupRetention,
  log_archive: ArchiveDestination,
): Promise<{ removed: string[]; problem: string | null }> {
  const removed: string[] = [];
  try {
    const all = (await to.list()).map(({ name }) => name);
    const moments = all.flatMap((name) => momentOfName(name) ?? []);
    const needed = neededBackups(await archivedRanges(log_archive), moments);
    const oldest_unarchived = systemClock().now() - unarchived_ms;
    for (const at of moments) if (at > oldest_unarchived) needed.add(at);
    for (const name of namesToRemove(all, keep, needed)) {
      await to.remove(name);
      removed.push(name);
    }
    return { removed, problem: null };
  } catch (error) {
    return { removed, problem: error instanceof Error ? error.message : String(error) };
  }
}

function linesOf(made: MadeBackup): string[] {
  const { place, size_bytes, read_bytes, sha256, modes, secret_key, seconds, files } = made;
  const sizes = `${megabytes(size_bytes)}, compressed from ${megabytes(read_bytes)} in ${seconds.toFixed(1)} s`;
  return [
    `Backed up to ${place}`,
    `  ${sizes}`,
    `  sha256 ${sha256}`,
    ...momentsOf(modes),
    ...filesLines(files),
    keyLine(secret_key.included),
    `To restore it: packhouse restore ${place} --into FOLDER`,
  ];
}

function momentsOf(modes: MadeBackup["modes"]): string[] {
  return environments.map((mode) => {
    const { at, commit } = modes[mode];
    return `  ${mode}: as of ${at}${commit === null ? "" : `, commit ${commit}`}`;
  });
}

/** What a backup has of uploaded files. */
function filesLines(files: MadeBackup["files"]): string[] {
  if (files === undefined) return [];
  if (files.included) return files.count === 0 ? [] : [`  Uploaded files: ${files.count}`];
  return [`  Uploaded files are not included: they stay in ${files.place}.`];
}

const keyLine = (included: boolean) =>
  included
    ? "  Includes the secret key: protect this file as you protect the key."
    : "  Does not include the secret key. Keep the key elsewhere: without it, encrypted data is lost.";

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

async function show({ file, json }: FlagValues<typeof shown>): Promise<void> {
  const { manifest, entries } = await openArchive(readBackup(file), file);
  const files: { name: string; size_bytes: number }[] = [];
  for await (const { name, size_bytes } of entries) files.push({ name, size_bytes });
  if (json) {
    print(JSON.stringify({ ...manifest, files }));
    return;
  }
  const { packhouse, engine, made_at, modes, secret_key, files: uploaded } = manifest;
  print(`Backup of ${made_at}, made by Packhouse ${packhouse} from ${engine}. All checksums match.`);
  for (const line of [...momentsOf(modes), ...filesLines(uploaded), keyLine(secret_key.included)]) print(line);
  for (const { name, size_bytes } of files) print(`  ${name.padEnd(20)} ${megabytes(size_bytes)}`);
}

async function moments({ to, json }: FlagValues<typeof searched>): Promise<void> {
  const backups = (await destinationOf(to).list()).flatMap(({ name }) => momentOfName(name) ?? []);
  const restorable = (await archivedRanges(archiveLocationOf(to))).flatMap((range) => {
    const at = firstBackup(range, backups);
    return at === null ? [] : [{ range, from: { at, archive: archiveName(at) } }];
  });
  if (json) {
    for (const { range, from } of restorable) print(JSON.stringify({ ...range, ...from }));
    return;
  }
  if (restorable.length === 0)
    print(`Only the backups themselves can be restored from ${resolve(to)}: no archived log follows one of them.`);
  for (const { range, from } of restorable) {
    const sources = `${from.archive} and ${range.segments} segments`;
    print(`${range.mode.padEnd(4)}  from ${iso(from.at)} to ${iso(range.most_at)}, using ${sources}`);
  }
}
