// How `serve` ships what is committed: where to, and by which backups.
import { resolve } from "node:path";
import { destinationOf, shippedPlaceOf } from "./backup_places.ts";
import { momentOfName } from "./backups/archive/names.ts";
import { type Continuous, openContinuous } from "./backups/continuous/continuous.ts";
import { programWords } from "./config.ts";
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
  return openContinuous({ data, place: shippedPlaceOf(to), log, now: () => clock.now(), backUp, backups });
}
