// Many clients at once on the same few goods: whatever coincides, no unit is lost, reserved twice, or withheld from a
// waiting order. Set by SEED and ROUNDS (of twelve acts each).
import { expect, test } from "bun:test";
import { engine } from "../../src/core/config.ts";
import { seed, volume } from "../volume.ts";
import { findWreckage } from "./final_invariants.ts";
import { gatherStorm, letRage } from "./storm.ts";

const rounds = Number(process.env["ROUNDS"] ?? volume(20, engine === "postgres" ? 75 : 150));

test(`${rounds} rounds of concurrent acts, of seed ${seed}, leave every count correct`, async () => {
  console.log(`SEED=${seed} ROUNDS=${rounds}`);
  const storm = await gatherStorm();
  const answers = await letRage(storm, seed, rounds);
  const told = [...answers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([answer, count]) => `${answer} × ${count}`);
  if (process.env["ROUNDS"] !== undefined) console.log(told.join("\n"));
  expect(storm.complaints).toEqual([]);
  expect(told.filter((answer) => / 5\d\d\b/.test(answer))).toEqual([]);
  await storm.shop.expectVerified();
  expect(await findWreckage(storm)).toEqual([]);
  // The storm was real: every kind of act succeeded, and some of each were refused.
  expect(storm.orders.length).toBeGreaterThan(rounds);
  expect(told.filter((answer) => answer.includes(": 409 ")).length).toBeGreaterThan(10);
}, 300_000);
