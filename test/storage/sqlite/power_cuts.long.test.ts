// A few of the power cuts of `bun run faults power`, which cuts as often as it is told.
import { describe, expect, test } from "bun:test";
import { cutFirstStarts, cutUnderLoad, lacksPowerCuts, unsynced } from "../../../scripts/faults/power.ts";
import { engine } from "../../../src/core/config.ts";

const lacking = engine === "sqlite" ? lacksPowerCuts() : null;
if (lacking !== null) console.log(`SKIPPED power: ${lacking}`);

if (engine === "sqlite")
  describe.skipIf(lacking !== null)("after a power cut", () => {
    test("at the first start the service starts, and the keys that it had printed are good", async () => {
      expect((await cutFirstStarts(3)).losses).toEqual([]);
    }, 120_000);

    test("under load every write that was acknowledged is there", async () => {
      const { acknowledged, losses } = await cutUnderLoad(1);
      expect(losses).toEqual([]);
      expect(acknowledged).toBeGreaterThanOrEqual(100);
    }, 120_000);

    test("a service whose disk does not sync has lost some: these cuts find it", async () => {
      const { losses } = await cutUnderLoad(1, unsynced);
      expect(losses.join("\n")).toContain("had been acknowledged");
    }, 120_000);
  });
