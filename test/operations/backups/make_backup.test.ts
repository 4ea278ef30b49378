// A backup releases the data when its destination hangs. Otherwise the log would grow until the disk is full.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/core/clock.ts";
import { makeBackup } from "../../../src/operations/backups/make_backup.ts";
import type { BackupCopies } from "../../../src/operations/backups/write_archive.ts";
import { startRefused } from "../../../src/storage/start_refused.ts";

/** Starts a backup to a destination that hangs after the start, and returns its state. */
function stuck(check: () => void, ending?: AbortSignal) {
  const data = mkdtempSync(join(tmpdir(), "packhouse-make-test-"));
  const known = { closed: 0, kept: 0 };
  const mode = { at: "2026-11-24T17:30:00.000Z", commit: 1 };
  const never = new Promise<never>(() => {});
  const copies: BackupCopies = {
    engine: "sqlite",
    migrations: { live: [], test: [] },
    modes: { live: mode, test: mode },
    size_bytes: 64 << 20,
    addTo: async (archive, onChunk) => {
      const pieces = function* () {
        for (let at = 0; at < 64; at += 1) {
          onChunk(1 << 20);
          yield crypto.getRandomValues(new Uint8Array(1 << 16));
        }
      };
      for (let at = 0; at < 16; at += 1) await archive.add(`${at}.db`, 64 << 16, pieces());
    },
    check,
    erased: async () => [],
    close: async () => {
      known.closed += 1;
    },
  };
  const keep = async () => {
    known.kept += 1;
  };
  const draft = { place: "nowhere", write: () => never, keep, drop: () => never };
  const to = {
    ...{ place: "nowhere", begin: async () => draft, list: async () => [] },
    ...{ keepErasures: async () => {}, remove: async () => {} },
  };
  const made = makeBackup({
    ...{ data, to, packhouse: "0.0.0", secret_key: null, with_key: false, clock: systemClock() },
    copy: () => copies,
    ...(ending === undefined ? {} : { ending }),
  }).finally(() => rmSync(data, { recursive: true }));
  return { made, known };
}

test("a backup whose destination hangs is aborted before the log fills the disk", async () => {
  const { made, known } = stuck(() => {
    throw startRefused("storage", "The backup was given up: so much was written while it ran.");
  });
  expect(await made.catch(({ message }) => message)).toContain("was given up");
  expect(known).toEqual({ closed: 1, kept: 0 });
});

test("a backup whose destination hangs can be cancelled", async () => {
  const ending = new AbortController();
  const { made, known } = stuck(() => ending.abort(new Error("stopped")), ending.signal);
  expect(await made.catch(({ message }) => message)).toBe("stopped");
  expect(known).toEqual({ closed: 1, kept: 0 });
});
