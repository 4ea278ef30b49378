// `packhouse backup moments`: to which moments the data can be restored by what was shipped.
import { resolve } from "node:path";
import { destinationOf, shippedPlaceOf } from "./backup_places.ts";
import { archiveName, momentOfName } from "./backups/archive/names.ts";
import { firstBackup, shippedRanges } from "./backups/continuous/ranges.ts";
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
  const found = (await shippedRanges(shippedPlaceOf(to))).flatMap((range) => {
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
