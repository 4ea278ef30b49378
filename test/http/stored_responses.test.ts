import { expect, test } from "bun:test";
import { idempotency_keys } from "../../db/schema/service.ts";
import { manualClock } from "../../src/core/clock.ts";
import { deleteExpiredAnswers } from "../../src/http/stored_responses.sql.ts";
import { insert } from "../../src/storage/statements.ts";
import { openTemporaryStore } from "../storage/temporary_database.ts";

test("expired responses are deleted in batches, and the others stay", async () => {
  const store = await openTemporaryStore({ clock: manualClock(5000) });
  const row = { fingerprint: "f", status: 201, headers: "{}", body: "{}", created_at: 0 };
  const rows = [1000, 5000, 3000, 5001, 2000].map((expires_at) => ({ key: `key-${expires_at}`, ...row, expires_at }));
  await store.write((tx) => insert(tx, idempotency_keys, rows));
  const left = async () =>
    (await store.read((db) => db.sql.select().from(idempotency_keys).orderBy(idempotency_keys.expires_at))).map(
      ({ expires_at }) => expires_at,
    );
  expect(await store.write((tx) => deleteExpiredAnswers(tx, 3))).toBe(true);
  expect(await left()).toEqual([5000, 5001]);
  expect(await store.write((tx) => deleteExpiredAnswers(tx, 3))).toBe(false);
  expect(await left()).toEqual([5001]);
  await store.close();
});
