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

function open({ world, spool, place, path, goes_on }: FollowerRequest): FollowedLog {
  const before = followed.get(world);
  if (before !== undefined) letGo(world, before);
  const chain = new LogChain(spool, world, place);
  const log = { chain, hold: openLogHold(path), file: openSync(`${path}-wal`, "r") };
  followed.set(world, log);
  if (goes_on) chain.recall();
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

function close(world: Environment, log: FollowedLog): void {
  try {
    log.chain.take(log.file);
  } finally {
    letGo(world, log);
  }
}

function letGo(world: Environment, { hold, file }: FollowedLog): void {
  followed.delete(world);
  hold.close();
  closeSync(file);
}

function giveUp({ chain, hold }: FollowedLog): void {
  hold.letGo();
  chain.forget();
}

function run(question: FollowerRequest): void {
  const { world, act } = question;
  const log = followed.get(world);
  if (act === "open") open(question);
  else if (act === "close" && log === undefined) return;
  else if (log === undefined) throw new Error("no log is followed");
  else if (act === "take") take(log);
  else if (act === "let_go") log.hold.letGo();
  else if (act === "give_up") giveUp(log);
  else if (act === "close") close(world, log);
  else if (log.chain.end !== null && !log.hold.hold()) throw new ChainBroken("its log was emptied before it was held");
}

/** Ends a chain that cannot continue, and starts another if the log is still followed. */
function renewed(world: Environment): string | null {
  const log = followed.get(world);
  if (log === undefined) return null;
  log.chain.forget();
  return tried(() => begin(log)).failed;
}

function tried(work: () => void): { broken: string | null; failed: string | null } {
  try {
    work();
    return { broken: null, failed: null };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return error instanceof ChainBroken ? { broken: said, failed: null } : { broken: null, failed: said };
  }
}

function answerTo(question: FollowerRequest): FollowerState {
  const chain = followed.get(question.world)?.chain ?? null;
  const { broken, failed } = tried(() => run(question));
  const again = broken === null ? failed : renewed(question.world);
  const end = (followed.get(question.world)?.chain ?? chain)?.end ?? null;
  const { chain: name = null, index = -1, number = 0, at = 0 } = end ?? {};
  return { id: question.id, chain: name, index, number, at, broken, failed: again };
}

self.onmessage = ({ data }: MessageEvent<FollowerRequest>) => self.postMessage(answerTo(data));
