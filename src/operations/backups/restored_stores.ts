// Prepares both environments after a restore, on either engine, before they are served.

import { iso, parseMoment, systemClock } from "../../core/clock.ts";
import { type Environment, environments } from "../../core/environment.ts";
import { randomId } from "../../core/ids.ts";
import type { LoggedErasure } from "../../storage/erasures.ts";
import { type OpenSettings, openStores, type Stores } from "../../storage/open_stores.ts";
import { isStartRefused, startRefused } from "../../storage/start_refused.ts";
import type { BackupManifest } from "./archive.ts";
import type { BackupSource } from "./backup_source.ts";
import { type FilesTarget, restoreFiles } from "./restore_files.ts";
import { type MarkedRestore, markRestored } from "./settle_restore.ts";

/** The result for one environment. */
interface RestoredStore extends MarkedRestore {
  /** The time (ms) of its data. */
  readonly as_of: number;
  /** Number of customers erased again. */
  readonly erased: number;
}

export type RestoredStores = Readonly<Record<Environment, RestoredStore>>;

/** Returns the times (ms) of the copies of both environments in an archive. */
export function momentsOf({ modes }: BackupManifest): Readonly<Record<Environment, number>> {
  const momentOf = (mode: Environment) => {
    const at = parseMoment(modes[mode].at);
    if (at === null) throw startRefused("foreign", `The backup does not state the time of its ${mode} data.`);
    return at;
  };
  return { live: momentOf("live"), test: momentOf("test") };
}

/** Opens restored data, migrates it to this version and checks it completely. `place` names it in errors. */
export async function openRestored(
  place: string,
  where: Pick<OpenSettings, "data" | "database_url" | "log">,
): Promise<Stores> {
  const fatal = (error: unknown) => {
    throw error;
  };
  try {
    return await openStores({ ...where, purpose: "serve", check: true, must_exist: true, unfinished: true, fatal });
  } catch (error) {
    if (!isStartRefused(error)) throw error;
    throw Object.assign(new Error(`${place} cannot be restored: ${error.message}`), { exit_code: error.exit_code });
  }
}

/** Erases a customer. Returns whether the customer exists. */
export type EraseCustomer = (stores: Stores, erasure: LoggedErasure) => Promise<boolean>;

/** The input of `markAndClose`. */
interface RestorePreparation {
  readonly settings: {
    readonly source: Pick<BackupSource, "name" | "place" | "recordRestore">;
    readonly report: (line: string) => void;
    readonly erase: EraseCustomer;
    readonly files: FilesTarget;
    readonly settleKey: (stores: Stores, data: string, manifest: BackupManifest) => Promise<void>;
  };
  /** The folder where the data currently is. */
  readonly at: string;
  /** The folder of the unpacked contents of uploaded files, and the one in the data directory. */
  readonly contents: { readonly unpacked: string; readonly home: string };
  readonly manifest: BackupManifest;
  readonly moments: Readonly<Record<Environment, number>>;
  readonly erasures: readonly LoggedErasure[];
}

/**
 * Marks both environments as restored, repeats all erasures of their customers (regardless of time, since clocks may
 * have been set), settles the secret key, and closes the stores.
 */
export async function markAndClose(stores: Stores, making: RestorePreparation): Promise<RestoredStores> {
  const { settings, at, contents, manifest, moments, erasures } = making;
  try {
    const nth = await countRestore(settings);
    const mark = async (mode: Environment): Promise<RestoredStore> => {
      const as_of = moments[mode];
      const marked = await markRestored(stores[mode], { archive: settings.source.name, as_of, nth });
      let erased = 0;
      for (const one of erasures) {
        if (one.mode === mode && (await settings.erase(stores, one))) erased += 1;
      }
      return { ...marked, as_of, erased };
    };
    const modes = { live: await mark("live"), test: await mark("test") };
    await restoreFiles(stores, { ...settings.files, ...contents, manifest, report: settings.report });
    await settings.settleKey(stores, at, manifest);
    return modes;
  } finally {
    await stores.close();
  }
}

/** Records the restore at the backup's location. Returns which restore it is, counted from 1. */
async function countRestore({ source, report }: RestorePreparation["settings"]): Promise<number> {
  const line = JSON.stringify({ archive: source.name, at: iso(systemClock().now()), id: randomId("restore") });
  try {
    return await source.recordRestore(line);
  } catch (error) {
    report(
      `The restore could not be recorded with the backup: ${error instanceof Error ? error.message : String(error)}`,
    );
    report("Do not serve another restore of these backups: both would assign the same numbers.");
    return 1;
  }
}

/** Returns the lines that report what a restore did to each environment. */
export function linesOfEnvironments(modes: RestoredStores): string[] {
  const counted = (count: number, what: string) => (count === 0 ? [] : [`${count} ${what}`]);
  return environments.flatMap((mode) => {
    const { as_of, waiting_deliveries, waiting_reports, waiting_purchases, ...done } = modes[mode];
    const { withdrawn_mails, paused_shops, erased } = done;
    const waits = [
      ...counted(waiting_deliveries, "webhook deliveries"),
      ...counted(waiting_reports, "reports to platforms"),
      ...counted(waiting_purchases, "label purchases"),
    ];
    return [
      `  ${mode}: as of ${iso(as_of)}`,
      ...(waits.length === 0 ? [] : [`    held for your decision: ${waits.join(", ")}`]),
      ...(withdrawn_mails === 0 ? [] : [`    emails withdrawn: ${withdrawn_mails}`]),
      ...(paused_shops === 0 ? [] : [`    shops whose stock pushes are paused: ${paused_shops}`]),
      ...(erased === 0 ? [] : [`    customers erased again: ${erased}`]),
    ];
  });
}
