// Jobs that make and prove backups, each in a child process, and that carry out decisions after a restore.

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { momentOf } from "../../core/clock.ts";
import { childEnvironment, ownProgram } from "../../core/config.ts";
import { counter } from "../../core/metrics.ts";
import type { BackupPlan } from "../../core/operator_settings.ts";
import type { Service } from "../../http/service.ts";
import { type Store, writeChunks } from "../../storage/database.ts";
import { awaitsSettling } from "../../storage/installation.ts";
import { type BackupRun, no_outcome, type RunOutcome } from "./backup_run.ts";
import { findLastDone, holdRun, isDue } from "./backup_runs.sql.ts";
import { claimRun, endRun, noteArchiveLate, noteLate } from "./backup_runs.ts";
import type { MadeBackup } from "./make_backup.ts";
import { settleSome } from "./settle_restore.ts";

/** Carries out a decision made on the command line, which cannot wake this process's jobs. */
export async function carryOutDecision(store: Store, service: { readonly ending: AbortSignal }): Promise<void> {
  if (await store.readLatest(awaitsSettling)) await writeChunks(store, service, settleSome);
}

/** One run of the job `backups.settle_restored`. Returns when (ms) to run again, or null. */
export async function settleRestored(store: Store): Promise<number | null> {
  return (await store.write(settleSome)) ? store.clock.now() : null;
}

/** The result of a child process: its last line of output, or why it failed. */
type ChildResult = { readonly output: string } | { readonly problem: string };

interface ChildCommand {
  readonly ended: Promise<ChildResult>;
  /** Asks it to stop and remove its files. */
  end(): void;
}

const problem_max = 1000;

/**
 * Runs a command of this program at low priority. Arguments are visible to everyone on the machine, so secrets go into
 * its environment. It stops when its input ends, as when this process is killed.
 */
function runCommand(args: readonly string[], database_url: string | null): ChildCommand {
  const child = Bun.spawn([...ownProgram, ...args], {
    env: childEnvironment(database_url),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const gather = async (): Promise<ChildResult> => {
    const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    const code = await child.exited;
    if (code === 0) return { output: lastLine(out) };
    const message = lastLine(errors).replace(/^packhouse [\w -]+?: /, "") || lastLine(out);
    const problem = message.slice(0, problem_max);
    return { problem: problem === "" ? `The backup process ended (${child.signalCode ?? code}).` : problem };
  };
  return { ended: gather(), end: () => child.kill("SIGTERM") };
}

const lastLine = (text: string) => text.trim().split("\n").at(-1) ?? "";

const runs = counter("packhouse_backup_runs_total", "Backups and proofs of backups, by result.", [
  ...["kind", "result"],
]);
// Prometheus sees no increase in a counter that starts at its first failure.
for (const kind of ["backup", "proof"]) for (const result of ["done", "failed"]) runs.add(0, kind, result);

const hold_ms = 30_000;
const hold_every_ms = 10_000;
const late_every_ms = 10 * 60_000;
const again_ms = 5000;

/** This process's state of the backups of one installation. */
interface BackupsInProgress {
  /** When (ms) this process started making backups, by the store's clock. */
  readonly since: number;
  late_at: number;
  child: ChildCommand | null;
  running: Promise<void> | null;
}

const makings = new WeakMap<Store, BackupsInProgress>();

function makingOf(store: Store): BackupsInProgress {
  const none = () => ({ since: store.clock.now(), late_at: 0, child: null, running: null });
  return makings.getOrInsertComputed(store, none);
}

/** One run of the job `backups.run`: starts the due backup, if no other server runs one. Returns the next time (ms). */
export async function runBackups(store: Store, service: Service): Promise<number | null> {
  const { backups: plan, mail } = service;
  // A backup contains both environments.
  if (plan === null || store.mode !== "live") return null;
  const making = makingOf(store);
  const now = store.clock.now();
  if (now >= making.late_at + late_every_ms) {
    making.late_at = now;
    await store.write((tx) => noteLate(tx, plan, making.since, mail !== null));
    const shipped = service.shipped?.();
    if (shipped) await store.write((tx) => noteArchiveLate(tx, shipped, making.since, mail !== null));
  }
  const look_at = now + late_every_ms;
  if (making.running !== null) return look_at;
  const next = await store.read((db) => isDue(db, plan));
  if (!next.due) return Math.min(next.at, look_at);
  const { run, next_at } = await store.write((tx) => claimRun(tx, plan, mail !== null));
  if (run === null) return Math.min(next_at, look_at);
  making.running = doRun(run, plan, making, store, service).finally(() => {
    making.running = null;
    making.child = null;
  });
  return null;
}

/** Stops the child process of a run, and waits until its outcome is recorded. */
export async function backupsSettled(store: Store): Promise<void> {
  const making = makings.get(store);
  making?.child?.end();
  await making?.running;
}

async function doRun(
  run: BackupRun,
  plan: BackupPlan,
  making: BackupsInProgress,
  store: Store,
  { data, database_url, files, mail, log, ending }: Service,
): Promise<void> {
  const { to, keep, with_key } = plan;
  const place = ["--data", data, ...(files.location === null ? [] : ["--files", files.location])];
  const kept = `${keep.hours},${keep.days},${keep.months}`;
  const args =
    run.kind === "proof"
      ? ["backup", "verify", run.place, "--attended", "--in", join(data, "proofs")]
      : ["backup", to, "--json", "--attended", "--keep", kept, ...(with_key ? ["--with-key"] : []), ...place];
  const holding = setInterval(() => {
    store.write((tx) => holdRun(tx, run.id, tx.now + hold_ms)).catch(() => {});
  }, hold_every_ms);
  const warnings: string[] = [];
  let news: string | null = null;
  const work = async (): Promise<RunOutcome> => {
    if (run.kind === "backup") news = await vanished(store, to);
    making.child = runCommand(args, database_url);
    const ended = await making.child.ended;
    warnings.push(...warningsOf(run, ended));
    for (const warning of warnings) log.warn("a backup is stored, with a warning", { warning });
    return outcomeOf(run, ended, ending.aborted);
  };
  const outcome = await work()
    .catch((error) => outcomeOf(run, { problem: String(error) }, ending.aborted))
    .finally(() => clearInterval(holding));
  runs.add(1, run.kind, outcome.error === null ? "done" : "failed");
  if (outcome.error !== null) log.error("a backup failed", { kind: run.kind, place: run.place, error: outcome.error });
  // If the disk of the data is full as well, the outcome is recorded once there is space.
  for (let kept = false; !kept; ) {
    kept = await store
      .write(async (tx) => {
        await endRun(tx, run, { ...outcome, warnings, news }, mail !== null);
        tx.wake("backups.run", tx.now);
        return true;
      })
      .catch(() => false);
    if (kept || ending.aborted) return;
    await Bun.sleep(again_ms);
  }
}

/** Returns a warning if the last backup is gone from its folder: its disk may not be mounted. */
async function vanished(store: Store, to: string): Promise<string | null> {
  const last = (await store.read((db) => findLastDone(db, "backup")))?.place ?? null;
  if (last === null || dirname(last) !== resolve(to) || existsSync(last)) return null;
  return `The previous backup, ${last}, is gone. Check that its disk is mounted.`;
}

const warningsOf = (run: BackupRun, ended: ChildResult): readonly string[] =>
  run.kind === "proof" || "problem" in ended ? [] : (JSON.parse(ended.output) as MadeBackup).warnings;

function outcomeOf(run: BackupRun, ended: ChildResult, stopped: boolean): RunOutcome {
  const { place } = run;
  if ("problem" in ended) {
    return { ...no_outcome, place, error: stopped ? "The service was stopped while it ran." : ended.problem };
  }
  if (run.kind === "proof") return { ...no_outcome, place };
  const { size_bytes, read_bytes, sha256, modes, place: file } = JSON.parse(ended.output) as MadeBackup;
  return {
    place: file,
    size_bytes,
    read_bytes,
    sha256,
    error: null,
    live_at: momentOf(modes.live.at),
    live_commit: modes.live.commit,
    test_at: momentOf(modes.test.at),
    test_commit: modes.test.commit,
  };
}
