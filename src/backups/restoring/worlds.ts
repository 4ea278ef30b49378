// What is done to both worlds once their records are there, on either engine, before anybody is served of them.
import type { Erasure } from "../../database/erasures.ts";
import { isStartRefused, startRefused } from "../../database/exit.ts";
import { type OpenSettings, openStores, type Stores } from "../../database/open.ts";
import { iso, parseMoment, systemClock } from "../../kit/clock.ts";
import { randomId } from "../../kit/ids.ts";
import { type Mode, modes } from "../../kit/mode.ts";
import type { Manifest } from "../archive/manifest.ts";
import { type Marked, markRestored } from "./commands.ts";
import type { Source } from "./source.ts";

/** A world as it was restored. */
interface RestoredWorld extends Marked {
  /** The moment as of which its records are. */
  readonly as_of: number;
  /** Customers that were erased again. */
  readonly erased: number;
}

export type RestoredWorlds = Readonly<Record<Mode, RestoredWorld>>;

/** The moments at which the worlds of an archive are consistent, in milliseconds. */
export function momentsOf({ worlds }: Manifest): Readonly<Record<Mode, number>> {
  const momentOf = (mode: Mode) => {
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
export type Erase = (stores: Stores, erasure: Erasure) => Promise<boolean>;

/** What both worlds are made ready with. */
interface Making {
  readonly settings: {
    readonly source: Pick<Source, "name" | "place" | "noteRestore">;
    readonly say: (line: string) => void;
    readonly erase: Erase;
    readonly settleKey: (stores: Stores, data: string, manifest: Manifest) => Promise<void>;
  };
  /** Where the data is for the moment. */
  readonly at: string;
  readonly manifest: Manifest;
  readonly moments: Readonly<Record<Mode, number>>;
  readonly erasures: readonly Erasure[];
}

/**
 * Marks both worlds as restored, erases again whoever is in them and was erased, whenever that was (clocks may have
 * been set), sees to the secret key, and closes them.
 */
export async function markAndClose(stores: Stores, making: Making): Promise<RestoredWorlds> {
  const { settings, at, manifest, moments, erasures } = making;
  try {
    const nth = await counted(settings);
    const mark = async (mode: Mode): Promise<RestoredWorld> => {
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
async function counted({ source, say }: Making["settings"]): Promise<number> {
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
export function linesOfWorlds(worlds: RestoredWorlds): string[] {
  const counted = (count: number, what: string) => (count === 0 ? [] : [`${count} ${what}`]);
  return modes.flatMap((mode) => {
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
