// How `serve` ships what is committed: where to, and by which backups.
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { destinationOf, shippedPlaceOf } from "./backup_places.ts";
import { momentOfName } from "./backups/archive/names.ts";
import { type Continuous, openContinuous } from "./backups/continuous/continuous.ts";
import { programWords } from "./config.ts";
import { erasures_file, readErasures } from "./database/erasures.ts";
import { systemClock } from "./kit/clock.ts";
import type { Log } from "./kit/log.ts";

/** Opens the shipping of a data directory to a place of backups, which hold the secret key where `with_key` says so. */
export function shippingTo(to: string, with_key: boolean, data: string, log: Log): Continuous {
  const clock = systemClock();
  const backUp = async () => {
    const words = ["backup", to, ...(with_key ? ["--with-key"] : []), "--data", resolve(data)];
    // A process of its own: closing a descriptor of a database in this one would drop the locks of SQLite.
    const child = Bun.spawn([...programWords, ...words], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
    const said = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(said.trim());
  };
  const backups = async () => {
    const all = await destinationOf(to).list();
    return all.flatMap(({ name }) => momentOfName(name) ?? []);
  };
  const erased = join(data, erasures_file);
  let kept_ms = 0;
  const beside = async () => {
    const changed_ms = statSync(erased, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changed_ms === kept_ms) return;
    await destinationOf(to).keepErasures(readErasures(erased));
    kept_ms = changed_ms;
  };
  return openContinuous({ data, place: shippedPlaceOf(to), log, now: () => clock.now(), backUp, backups, beside });
}
