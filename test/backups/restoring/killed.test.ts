import { expect, test } from "bun:test";
import { killRestores } from "../../../scripts/faults/restores.ts";
import { engine } from "../../../src/config.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

test.if(engine === "sqlite")(
  `a restore that is killed leaves nothing or all, and says which (seed ${seed})`,
  async () => {
    expect((await killRestores(4, seed, ["keys", "create", "--name", "shop", "--mode", "test"])).problems).toEqual([]);
  },
  120_000,
);
