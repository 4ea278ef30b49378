// A few of the power cuts that `bun run faults power` simulates.
import { describe, expect, test } from "bun:test";
import { cutFirstStarts, cutUnderLoad, lacksPowerCuts, unsynced } from "../../../scripts/faults/power.ts";
import { engine } from "../../../src/core/config.ts";

const lacking = engine === "sqlite" ? lacksPowerCuts() : null;
if (lacking !== null) console.log(`SKIPPED power: ${lacking}`);

if (engine === "sqlite")
  describe.skipIf(lacking !== null)("after a power cut", () => {
    test("during the first start, the service starts again and the keys that it printed work", async () => {
      expect((await cutFirstStarts(3)).losses).toEqual([]);
    }, 120_000);

    test("under load, every acknowledged write is there", async () => {
      const { acknowledged, losses } = await cutUnderLoad(1);
      expect(losses).toEqual([]);
      expect(acknowledged).toBeGreaterThanOrEqual(100);
    }, 120_000);

    test("with a disk that does not sync, the test detects lost writes", async () => {
      const { losses } = await cutUnderLoad(1, unsynced);
      expect(losses.join("\n")).toContain("had been acknowledged");
    }, 120_000);
  });
