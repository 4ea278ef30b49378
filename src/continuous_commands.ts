// `packhouse backup moments`: to which moments the data can be restored by what was shipped.
import { resolve } from "node:path";
import { destinationOf, shippedPlaceOf } from "./backup_places.ts";
import { archiveName, momentOfName } from "./backups/archive/names.ts";
import { type ShippedRange, shippedRanges } from "./backups/continuous/applying.ts";
import { asJson, type Commands, command, print } from "./command.ts";
import { type Flags, type Given, WrongUse } from "./config.ts";
import { iso } from "./kit/clock.ts";

const flags = {
  to: { type: "word", value: "TO", help: "where the backups are kept" },
  ...asJson,
} as const satisfies Flags;

/** The commands of what was shipped beside backups. */
export const continuousCommands: Commands = {
  "backup moments": command({ summary: "tell to which moments the data can be restored", flags, run: moments }),
};

async function moments({ to, json }: Given<typeof flags>): Promise<number> {
  if (to === undefined) throw new WrongUse("TO is required: where the backups are kept.");
  const backups = (await destinationOf(to).list()).flatMap(({ name }) => momentOfName(name) ?? []);
  const found = (await shippedRanges(shippedPlaceOf(to))).flatMap((range) => startOf(range, backups) ?? []);
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

/** The first backup from which a range leads on, or null where there is none. */
function startOf(range: ShippedRange, backups: readonly number[]) {
  // A backup tells the second in which it was begun.
  const usable = backups.filter((at) => at >= range.least_at - 1000 && at <= range.most_at);
  const before = backups.filter((at) => at < range.least_at - 1000);
  const at = usable[0] ?? before.at(-1);
  return at === undefined ? null : { range, from: { at, archive: archiveName(at) } };
}
