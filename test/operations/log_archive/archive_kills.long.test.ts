// A few kills of `bun run faults continuous`, which takes any number of them.
import { expect, test } from "bun:test";
import { killWhileShipping } from "../../../scripts/faults/continuous/main.ts";
import { engine } from "../../../src/core/config.ts";
import { seed } from "../../volume.ts";

if (engine === "sqlite")
  test("data archived by a killed server restores to any moment, and a damaged archive is refused", async () => {
    console.log(`SEED=${seed}`);
    const { restored, points, logged, wrong, chains } = await killWhileShipping(5, 15, seed);
    expect({ wrong, logged, chains }).toEqual({ wrong: [], logged: [], chains: 1 });
    expect(points.length).toBeGreaterThan(20);
    expect(restored).toBeGreaterThan(5);
  }, 120_000);
