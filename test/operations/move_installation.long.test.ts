// `packhouse move` between the embedded database and the engine of this run, in both directions.
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { at } from "../../scripts/faults/move_places.ts";
import { contentOf, differing, killMoves } from "../../scripts/faults/moves.ts";
import { createDatabase, runCommand, startService } from "../../scripts/service.ts";
import { databaseUrl, engine } from "../../src/core/config.ts";
import { readErasures, recordErasures } from "../../src/storage/erasures.ts";
import { readMoveMark } from "../../src/storage/start_refused.ts";
import { seed } from "../volume.ts";

// Each step starts a process, possibly on a busy machine.
setDefaultTimeout(180_000);

const folder = mkdtempSync(join(tmpdir(), "packhouse-move-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A place for an installation, on the engine of this run. */
const place = (name: string) =>
  databaseUrl === null ? Promise.resolve(join(folder, name)) : createDatabase(databaseUrl);
const packhouse = (...words: readonly string[]) => runCommand(words);
const move = (from: string, to: string, ...more: string[]) => packhouse("move", "--from", from, "--to", to, ...more);

/** A small data directory. */
async function small(name: string): Promise<string> {
  const data = join(folder, name);
  const made = await packhouse("keys", "create", "--create-data", "--name", "till", "--mode", "live", ...at(data));
  expect(made.code).toBe(0);
  const goods = await packhouse("merchants", "create", "--code", "ACME", "--name", "Acme", ...at(data));
  expect(goods.code).toBe(0);
  return data;
}

describe("works", () => {
  test("the sample businesses and hostile values arrive completely, even if moves are killed", async () => {
    console.log(`seed ${seed}`);
    expect(await killMoves(2, seed, databaseUrl)).toBe(0);
  });

  test("a server starts on the target but not on the source; moving back works in the same way", async () => {
    const [data, target] = [await small("a"), await place("b")];
    const before = contentOf(data);
    recordErasures(join(data, "erasures.jsonl"), [{ mode: "live", customer_id: 7, created_at: 1, erased_at: 2 }]);
    expect(await move(data, target)).toMatchObject({ code: 0 });
    if (engine === "sqlite") expect(readErasures(join(target, "erasures.jsonl")).length).toBe(1);
    const refused = await packhouse("serve", "--port", "0", ...at(data));
    expect([refused.code, refused.err]).toEqual([
      78,
      expect.stringMatching(/live\.db was moved to .* To undo the move, run/),
    ]);
    const undone = await move(data, target, "--undo");
    expect(undone).toMatchObject({ code: 0, out: expect.stringContaining("packhouse serve serves ") });
    expect(differing(before, contentOf(data))).toEqual([]);
    const gone = await packhouse("keys", "list", ...at(target));
    expect([gone.code, gone.err]).toEqual([78, expect.stringContaining(`was moved to ${data}`)]);
    // Data left there is replaced by the next move.
    expect((await move(data, target)).err).toContain("--begin-anew");
    expect(await move(data, target, "--begin-anew")).toMatchObject({ code: 0 });
    const more = await packhouse("keys", "create", "--name", "later", "--mode", "live", ...at(target));
    expect(more.code).toBe(0);
    const kept = await move(data, target, "--undo");
    expect([kept.code, kept.err]).toEqual([
      78,
      expect.stringMatching(/changed since the move:\nlive: api_keys: .*1 rows then, 2 now/),
    ]);
    const lost = await move(data, target, "--undo", "--lose-since-move");
    expect([lost.code, lost.out]).toEqual([0, expect.stringMatching(/^lost: live: api_keys/)]);
    expect((await packhouse("keys", "list", ...at(data))).out).not.toContain("later");
  });

  test("changes at the source between an interruption and the next run are moved, too", async () => {
    const [data, target] = [await small("c"), await place("d")];
    // A constraint in the target only simulates an interruption at a fixed place.
    using raw = new Database(join(data, "live.db"));
    raw.run("insert into leases values (?, 'x', 1)", [`${"y".repeat(50)}\u0000`]);
    const interrupted = await move(data, target);
    if (engine === "sqlite") expect(interrupted.code).toBe(0);
    else {
      expect([interrupted.code, interrupted.err]).toEqual([78, expect.stringContaining("leases.name contains U+0000")]);
      raw.run("delete from leases");
      raw.run("update api_keys set name = 'other', last_four = 'abcd'");
      expect((await packhouse("keys", "list", ...at(target))).err).toContain("has an unfinished move");
      const done = await move(data, target);
      expect([done.code, done.out]).toEqual([0, expect.stringContaining("Continuing the move")]);
    }
    expect((await packhouse("keys", "list", ...at(target))).out).toContain(engine === "sqlite" ? "till" : "other");
  });

  // On PostgreSQL both marks are set by the same code.
  test.skipIf(engine !== "sqlite")(
    "a move that is killed between both marks serves nowhere, and is finished",
    async () => {
      const [data, target] = [await small("l"), await place("m")];
      expect(await move(data, target)).toMatchObject({ code: 0 });
      using source = new Database(join(data, "live.db"));
      using arrived = new Database(join(target, "live.db"));
      const [[mark = ""] = []] = source.query("select moving from installation").values() as string[][];
      const arriving = JSON.stringify({ ...JSON.parse(mark), state: "arriving", other: data, filled: true });
      arrived.run("update installation set moving = ?", [arriving]);
      for (const [place, said] of [
        [data, "was moved to"],
        [target, "has an unfinished move"],
      ] as const) {
        const refused = await packhouse("keys", "list", ...at(place));
        expect([refused.code, refused.err]).toEqual([78, expect.stringContaining(said)]);
      }
      expect(await move(data, target)).toMatchObject({ code: 0 });
      expect((await packhouse("keys", "list", ...at(target))).out).toContain("till");
      arrived.run("update installation set moving = ?", [arriving]);
      expect(await move(data, target, "--undo")).toMatchObject({ code: 0 });
      expect((await packhouse("keys", "list", ...at(data))).out).toContain("till");
      expect((await packhouse("keys", "list", ...at(target))).err).toContain("has an unfinished move");
    },
  );

  test("a target that was started once and never used is accepted", async () => {
    const [data, target] = [await small("e"), await place("f")];
    const before = contentOf(data);
    const settings = databaseUrl === null ? { data: target } : { data: join(folder, "unused"), database_url: target };
    const service = await startService(settings);
    const running = await move(data, target);
    expect([running.code, running.err]).toEqual([75, expect.stringMatching(/running on this data/)]);
    expect(await service.stop()).toBe(0);
    expect(await move(data, target)).toMatchObject({ code: 0 });
    const back = join(folder, "g");
    expect(await move(target, back)).toMatchObject({ code: 0 });
    expect(differing(before, contentOf(back))).toEqual([]);
  });
});

describe("refuses", () => {
  test("a source with a running server, and one that does not exist", async () => {
    const target = await place("h");
    const service = await startService({ data: join(folder, "served") });
    const refused = await move(service.data, target);
    expect([refused.code, refused.err]).toEqual([
      75,
      expect.stringContaining("Another Packhouse is running on this data"),
    ]);
    await service.stop();
    expect(await move(join(folder, "nowhere"), target)).toMatchObject({ code: 66 });
  });

  test("a target with records, and a target of another move", async () => {
    const [data, other, target] = [await small("i"), await small("j"), await place("k")];
    await packhouse("keys", "create", "--create-data", "--name", "second", "--mode", "live", ...at(other));
    const used = await move(data, other);
    expect([used.code, used.err]).toEqual([78, expect.stringMatching(/already has records \(live: \d+ in \w+\)/)]);
    expect(await move(data, target)).toMatchObject({ code: 0 });
    expect((await move(other, target)).err).toContain("already has records");
    expect((await move(data, target)).err).toContain("was moved to");
  });

  test("an unfinished move of a single merchant by another version", () => {
    const mark = {
      state: "arriving",
      move_id: "1",
      other: "/old",
      at: 1,
      merchant: "ALFA",
      restore: [],
      filled: false,
    };
    expect(() => readMoveMark(JSON.stringify(mark))).toThrow("has an unfinished move of the merchant ALFA from /old");
  });

  test("wrong usage, with a hint", async () => {
    const words: [string[], string][] = [
      [["move"], "--from is required"],
      [["move", "--from", "x"], "--to is required"],
      [["move", "--from", "x", "--to", "./x"], "the same place"],
      [["move", "--from", "mysql://x", "--to", "y"], "--from must begin with postgres://"],
    ];
    for (const [line, said] of words) {
      expect(await packhouse(...line)).toMatchObject({ code: 2, err: expect.stringContaining(said) });
    }
  });
});
