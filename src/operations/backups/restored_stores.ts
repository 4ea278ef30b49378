// What is done to both worlds once their records are there, on either engine, before anybody is served of them.

import { iso, parseMoment, systemClock } from "../../core/clock.ts";
import { type Environment, environments } from "../../core/environment.ts";
import { randomId } from "../../core/ids.ts";
import type { LoggedErasure } from "../../storage/erasures.ts";
import { type OpenSettings, openStores, type Stores } from "../../storage/open_stores.ts";
import { isStartRefused, startRefused } from "../../storage/start_refused.ts";
import type { BackupManifest } from "./archive.ts";
import type { BackupSource } from "./backup_source.ts";
import { type MarkedRestore, markRestored } from "./settle_restore.ts";

/** A world as it was restored. */
interface RestoredStore extends MarkedRestore {
  /** The moment as of which its records are. */
  readonly as_of: number;
  /** Customers that were erased again. */
  readonly erased: number;
}

export type RestoredStores = Readonly<Record<Environment, RestoredStore>>;

/** The moments at which the worlds of an archive are consistent, in milliseconds. */
export function momentsOf({ worlds }: BackupManifest): Readonly<Record<Environment, number>> {
  const momentOf = (mode: Environment) => {
    const at = parseMoment(worlds[mode].at);
    if (at === null) throw startRefused("foreign", `The backup says nothing of the moment of its ${mode} data.`);
    return at;
  };
  return { live: momentOf("live"), test: momentOf("test") };
}

/** Opens what was restored, migrated to this program and looked over as a whole. `place` names it in refusals. */
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

/** Erases a customer in a world. Answers whether there was one to erase. */
export type EraseCustomer = (stores: Stores, erasure: LoggedErasure) => Promise<boolean>;

/** What both worlds are made ready with. */
interface RestorePreparation {
  readonly settings: {
    readonly source: Pick<BackupSource, "name" | "place" | "noteRestore">;
    readonly say: (line: string) => void;
    readonly erase: EraseCustomer;
    readonly settleKey: (stores: Stores, data: string, manifest: BackupManifest) => Promise<void>;
  };
  /** Where the data is for the moment. */
  readonly at: string;
  readonly manifest: BackupManifest;
  readonly moments: Readonly<Record<Environment, number>>;
  readonly erasures: readonly LoggedErasure[];
}

/**
 * Marks both worlds as restored, erases again whoever is in them and was erased, whenever that was (clocks may have
 * been set), sees to the secret key, and closes them.
 */
export async function markAndClose(stores: Stores, making: RestorePreparation): Promise<RestoredStores> {
  const { settings, at, manifest, moments, erasures } = making;
  try {
    const nth = await counted(settings);
    const mark = async (mode: Environment): Promise<RestoredStore> => {
      const as_of = moments[mode];
      const marked = await markRestored(stores[mode], { archive: settings.source.name, as_of, nth });
      let erased = 0;
      for (const one of erasures) {
        if (one.mode === mode && (await settings.erase(stores, one))) erased += 1;
      }
      return { ...marked, as_of, erased };
    };
    const worlds = { live: await mark("live"), test: await mark("test") };
    await settings.settleKey(stores, at, manifest);
    return worlds;
  } finally {
    await stores.close();
  }
}

/** Notes a restore beside the backup, and answers which one it is there. */
async function counted({ source, say }: RestorePreparation["settings"]): Promise<number> {
  const line = JSON.stringify({ archive: source.name, at: iso(systemClock().now()), id: randomId("restore") });
  try {
    return await source.noteRestore(line);
  } catch (error) {
    say(`The restore could not be noted beside the backup: ${error instanceof Error ? error.message : String(error)}`);
    say("Do not serve another restore of these backups as well: it would give the same numbers.");
    return 1;
  }
}

/** What a restore did to the worlds, a line each. */
export function linesOfWorlds(worlds: RestoredStores): string[] {
  const counted = (count: number, what: string) => (count === 0 ? [] : [`${count} ${what}`]);
  return environments.flatMap((mode) => {
    const { as_of, waiting_deliveries, waiting_reports, waiting_purchases, withdrawn_mails, erased } = worlds[mode];
    const waits = [
      ...counted(waiting_deliveries, "webhook deliveries"),
      ...counted(waiting_reports, "reports to platforms"),
      ...counted(waiting_purchases, "purchases of labels"),
    ];
    return [
      `  ${mode}: as of ${iso(as_of)}`,
      ...(waits.length === 0 ? [] : [`    waiting for your decision: ${waits.join(", ")}`]),
      ...(withdrawn_mails === 0 ? [] : [`    e-mails taken back: ${withdrawn_mails}`]),
      ...(erased === 0 ? [] : [`    customers erased again: ${erased}`]),
    ];
  });
}
