// Makes a backup of an installation: one archive, written to its destination and finished there by its name.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, iso } from "../../core/clock.ts";
import { erasures_file, mergedErasures, readErasures } from "../../storage/erasures.ts";
import { startRefused } from "../../storage/start_refused.ts";
import { type BackupManifest, keyFingerprint } from "./archive.ts";
import type { Destination } from "./destination.ts";
import type { BackupCopies } from "./write_archive.ts";
import { type ArchiveWriter, beginArchive } from "./write_archive.ts";

interface BackupSettings {
  readonly data: string;
  readonly to: Destination;
  /** The version that the archive says it was written by. */
  readonly packhouse: string;
  /** The key that the secrets in the data are sealed with; null when it is not at hand. */
  readonly secret_key: Uint8Array | null;
  /** Whether the key is put into the archive, and what else is secret: who has the archive can then open all of it. */
  readonly with_key: boolean;
  readonly clock: Clock;
  /** Takes the copies of both worlds. */
  readonly copy: () => BackupCopies | Promise<BackupCopies>;
  /** Aborted, with the reason, when it is to be given up. */
  readonly ending?: AbortSignal;
  /** Told how much there is to read, and how much of it was read by now, in bytes. */
  readonly onProgress?: (done_bytes: number, all_bytes: number) => void;
}

/** A backup that was made. */
export interface MadeBackup extends Pick<BackupManifest, "engine" | "worlds" | "made_at" | "secret_key"> {
  readonly place: string;
  readonly size_bytes: number;
  readonly sha256: string;
  /** How much was read for it. */
  readonly read_bytes: number;
  readonly seconds: number;
  /** What could not be done once it was safely stored. */
  readonly warnings: readonly string[];
}

/** The authority by which devices trust this service. Its file holds its private key. */
const authority = "tls/authority.pem";

/**
 * Makes a backup. Whatever fails, what was written of it is removed. Refuses with a `StartRefused` what cannot be
 * copied, and `with_key` where no key is at hand.
 */
export async function makeBackup(settings: BackupSettings): Promise<MadeBackup> {
  const { to, clock, secret_key, with_key } = settings;
  if (with_key && secret_key === null) {
    throw startRefused("absent", "There is no secret key to put into the backup: set PACKHOUSE_SECRET_KEY.");
  }
  const begun = clock.elapsed();
  const at = clock.now();
  const draft = await to.begin(at);
  let is_stuck = false;
  try {
    const copies = await settings.copy();
    const manifest = manifestOf(settings, copies, at);
    const ended = await watched(copies, settings, async (ending) => {
      const archive = await beginArchive(draft, manifest);
      const filled = await fill(archive, copies, { ...settings, ending }).catch((error) => {
        archive.abandon();
        throw error;
      });
      ending.throwIfAborted();
      await draft.keep();
      return filled;
    })
      .catch((error) => {
        is_stuck = error instanceof DestinationStuck;
        throw error instanceof DestinationStuck ? error.reason : error;
      })
      .finally(() => copies.close());
    const warnings = await keepErasures(settings, copies);
    const { engine, worlds, made_at, secret_key } = manifest;
    const seconds = (clock.elapsed() - begun) / 1000;
    const read_bytes = copies.size_bytes;
    return { engine, worlds, made_at, secret_key, place: draft.place, ...ended, read_bytes, seconds, warnings };
  } finally {
    // What a destination that does not answer has got, the next run removes.
    if (!is_stuck) await draft.drop();
  }
}

/** Keeps beside the backup who was erased. Answers what went wrong: the backup itself is stored by then. */
async function keepErasures({ to, data }: BackupSettings, copies: BackupCopies): Promise<string[]> {
  try {
    await to.keepErasures(mergedErasures([readErasures(join(data, erasures_file)), await copies.erased()]));
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [`The customers who were erased could not be noted in ${erasures_file} beside it: ${reason}`];
  }
}

const check_every_ms = 1000;
const grace_ms = 2000;

/** Says that a backup was given up, for this reason, while its destination did not answer. */
class DestinationStuck extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("the destination does not answer", { cause: reason });
    this.reason = reason;
  }
}

/**
 * Does the work of a backup until it is to be given up, be it that `ending` says so or that the service would suffer
 * by it. Work that does not end by itself then, since its destination does not answer, is left; that throws `Stuck`.
 */
async function watched<T>(copies: BackupCopies, settings: BackupSettings, work: (ending: AbortSignal) => Promise<T>) {
  const given_up = new AbortController();
  const giveUp = () => given_up.abort(settings.ending?.reason);
  settings.ending?.addEventListener("abort", giveUp, { once: true });
  const watch = setInterval(() => {
    try {
      copies.check?.();
    } catch (error) {
      given_up.abort(error);
    }
  }, check_every_ms);
  const left = Promise.withResolvers<never>();
  given_up.signal.addEventListener("abort", async () => {
    await Bun.sleep(grace_ms);
    left.reject(new DestinationStuck(given_up.signal.reason));
  });
  left.promise.catch(() => {});
  if (settings.ending?.aborted) giveUp();
  const working = work(given_up.signal);
  try {
    return await Promise.race([working, left.promise]);
  } finally {
    working.catch(() => {});
    clearInterval(watch);
    settings.ending?.removeEventListener("abort", giveUp);
  }
}

function manifestOf({ packhouse, secret_key, with_key }: BackupSettings, copies: BackupCopies, at: number) {
  const { engine, worlds, migrations } = copies;
  const fingerprint = secret_key === null ? null : keyFingerprint(secret_key);
  return {
    packhouse,
    engine,
    migrations: { live: [...migrations.live], test: [...migrations.test] },
    worlds,
    made_at: iso(at),
    secret_key: { included: with_key, fingerprint },
  };
}

async function fill(archive: ArchiveWriter, copies: BackupCopies, settings: BackupSettings) {
  const { data, with_key, secret_key, onProgress } = settings;
  let done = 0;
  await copies.addTo(archive, (bytes) => {
    settings.ending?.throwIfAborted();
    done += bytes;
    onProgress?.(done, copies.size_bytes);
  });
  if (with_key && secret_key !== null) {
    const path = join(data, authority);
    if (existsSync(path)) await archive.addText(authority, readFileSync(path, "utf8"));
    await archive.addText("secret.key", Buffer.from(secret_key).toString("hex"));
  }
  return archive.finish();
}
