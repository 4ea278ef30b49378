// Makes a backup of an installation: one archive, which gets its final name once it is complete.
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
  /** The version of Packhouse to record in the archive. */
  readonly packhouse: string;
  /** The key that encrypts the secrets in the data; null if it is not available. */
  readonly secret_key: Uint8Array | null;
  /** Whether to include the key and the TLS authority; anyone with the archive can then decrypt every secret. */
  readonly with_key: boolean;
  readonly clock: Clock;
  /** Takes the copies of both environments. */
  readonly copy: () => BackupCopies | Promise<BackupCopies>;
  /** Aborted, with the reason, to cancel the backup. */
  readonly ending?: AbortSignal;
  /** Called with the bytes read so far and in total. */
  readonly onProgress?: (done_bytes: number, all_bytes: number) => void;
}

/** The result of a backup. */
export interface MadeBackup extends Pick<BackupManifest, "engine" | "modes" | "made_at" | "secret_key" | "files"> {
  readonly place: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly read_bytes: number;
  readonly seconds: number;
  /** Problems after the backup was safely stored. */
  readonly warnings: readonly string[];
}

/** The service's certificate authority, including its private key. */
const authority = "tls/authority.pem";

/**
 * Makes a backup. Removes everything it wrote if it fails. Refuses with a `StartRefused` data that cannot be copied,
 * and `with_key` without a key.
 */
export async function makeBackup(settings: BackupSettings): Promise<MadeBackup> {
  const { to, clock, secret_key, with_key } = settings;
  if (with_key && secret_key === null) {
    throw startRefused("absent", "There is no secret key to include in the backup. Set PACKHOUSE_SECRET_KEY.");
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
    const { engine, modes, made_at, secret_key, files } = manifest;
    const seconds = (clock.elapsed() - begun) / 1000;
    const read_bytes = copies.size_bytes;
    const facts = { engine, modes, made_at, secret_key, ...(files !== undefined && { files }) };
    return { ...facts, place: draft.place, ...ended, read_bytes, seconds, warnings };
  } finally {
    // If the destination does not respond, the next run removes the draft.
    if (!is_stuck) await draft.drop();
  }
}

/** Stores the list of erasures with the backup. Returns problems as warnings, since the backup itself is stored. */
async function keepErasures({ to, data }: BackupSettings, copies: BackupCopies): Promise<string[]> {
  try {
    await to.keepErasures(mergedErasures([readErasures(join(data, erasures_file)), await copies.erased()]));
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [`The erased customers could not be added to ${erasures_file} at the destination: ${reason}`];
  }
}

const check_every_ms = 1000;
const grace_ms = 2000;

/** A backup was cancelled for `reason` while its destination did not respond. */
class DestinationStuck extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("the destination does not respond", { cause: reason });
    this.reason = reason;
  }
}

/**
 * Runs `work` until `settings.ending` is aborted or `copies.check` refuses. If the work does not stop then, because its
 * destination does not respond, it is abandoned with a `DestinationStuck`.
 */
async function watched<T>(copies: BackupCopies, settings: BackupSettings, work: (ending: AbortSignal) => Promise<T>) {
  const cancelled = new AbortController();
  const cancel = () => cancelled.abort(settings.ending?.reason);
  settings.ending?.addEventListener("abort", cancel, { once: true });
  const watch = setInterval(() => {
    try {
      copies.check?.();
    } catch (error) {
      cancelled.abort(error);
    }
  }, check_every_ms);
  const left = Promise.withResolvers<never>();
  cancelled.signal.addEventListener("abort", async () => {
    await Bun.sleep(grace_ms);
    left.reject(new DestinationStuck(cancelled.signal.reason));
  });
  left.promise.catch(() => {});
  if (settings.ending?.aborted) cancel();
  const working = work(cancelled.signal);
  try {
    return await Promise.race([working, left.promise]);
  } finally {
    working.catch(() => {});
    clearInterval(watch);
    settings.ending?.removeEventListener("abort", cancel);
  }
}

function manifestOf({ packhouse, secret_key, with_key }: BackupSettings, copies: BackupCopies, at: number) {
  const { engine, modes, migrations, files } = copies;
  const fingerprint = secret_key === null ? null : keyFingerprint(secret_key);
  return {
    packhouse,
    engine,
    migrations: { live: [...migrations.live], test: [...migrations.test] },
    modes,
    made_at: iso(at),
    secret_key: { included: with_key, fingerprint },
    ...(files !== undefined && { files }),
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
