import { expect, test } from "bun:test";
import { killRestores } from "../../../scripts/faults/restores.ts";
import { databaseUrl, engine } from "../../../src/core/config.ts";
import { seed } from "../../volume.ts";

const canRestore = engine === "sqlite" || (Bun.which("pg_dump") !== null && Bun.which("pg_restore") !== null);

test.if(canRestore)(
  `a killed restore leaves nothing or all of the data, and reports which (seed ${seed})`,
  async () => {
    const fill = ["keys", "create", "--create-data", "--name", "shop", "--mode", "test"];
    expect((await killRestores(4, seed, fill, databaseUrl)).problems).toEqual([]);
  },
  120_000,
);
