// The thread that reads both environments' logs, packs new commits, and holds the logs until they were read.
import { closeSync, openSync } from "node:fs";
import { systemClock } from "../../core/clock.ts";
import type { Environment } from "../../core/environment.ts";
import { type LogHold, openLogHold } from "../../storage/sqlite/log_hold.ts";
import type { FollowerRequest, FollowerState } from "./follow_thread.ts";
import { ChainBroken, LogChain } from "./log_chain.ts";

declare const self: Worker;

interface FollowedLog {
  readonly chain: LogChain;
  readonly hold: LogHold;
  readonly file: number;
}

const clock = systemClock();
const followed = new Map<Environment, FollowedLog>();

function open({ mode, spool, place, path, continues }: FollowerRequest): FollowedLog {
  const before = followed.get(mode);
  if (before !== undefined) letGo(mode, before);
  const chain = new LogChain(spool, mode, place);
  const log = { chain, hold: openLogHold(path), file: openSync(`${path}-wal`, "r") };
  followed.set(mode, log);
  if (continues) chain.load();
  if (chain.end === null) begin(log);
  else if (!log.hold.hold()) throw new ChainBroken("its log was emptied before it was held");
  return log;
}

function begin({ chain, hold, file }: FollowedLog): void {
  if (!hold.hold()) throw new ChainBroken("its log could not be held");
  chain.begin(file, hold.facts(), clock.now());
}

function take(log: FollowedLog): void {
  if (log.chain.end === null) begin(log);
  else {
    log.chain.take(log.file);
    log.hold.move();
  }
}

function close(mode: Environment, log: FollowedLog): void {
  try {
    log.chain.take(log.file);
  } finally {
    letGo(mode, log);
  }
}

function letGo(mode: Environment, { hold, file }: FollowedLog): void {
  followed.delete(mode);
  hold.close();
  closeSync(file);
}

function giveUp({ chain, hold }: FollowedLog): void {
  hold.letGo();
  chain.forget();
}

function run(request: FollowerRequest): void {
  const { mode, action } = request;
  const log = followed.get(mode);
  if (action === "open") open(request);
  else if (action === "close" && log === undefined) return;
  else if (log === undefined) throw new Error("no log is followed");
  else if (action === "take") take(log);
  else if (action === "let_go") log.hold.letGo();
  else if (action === "give_up") giveUp(log);
  else if (action === "close") close(mode, log);
  else if (log.chain.end !== null && !log.hold.hold()) throw new ChainBroken("its log was emptied before it was held");
}

/** Ends a chain that cannot continue, and starts another if the log is still followed. */
function restartChain(mode: Environment): string | null {
  const log = followed.get(mode);
  if (log === undefined) return null;
  log.chain.forget();
  return tried(() => begin(log)).failed;
}

function tried(work: () => void): { broken: string | null; failed: string | null } {
  try {
    work();
    return { broken: null, failed: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return error instanceof ChainBroken ? { broken: message, failed: null } : { broken: null, failed: message };
  }
}

function respond(request: FollowerRequest): FollowerState {
  const chain = followed.get(request.mode)?.chain ?? null;
  const { broken, failed } = tried(() => run(request));
  const again = broken === null ? failed : restartChain(request.mode);
  const end = (followed.get(request.mode)?.chain ?? chain)?.end ?? null;
  const { chain: name = null, index = -1, number = 0, at = 0 } = end ?? {};
  return { id: request.id, chain: name, index, number, at, broken, failed: again };
}

self.onmessage = ({ data }: MessageEvent<FollowerRequest>) => self.postMessage(respond(data));
