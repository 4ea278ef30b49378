// The thread that reads the logs of both worlds, packs what is new, and holds them so that nothing is lost meanwhile.
import { closeSync, openSync } from "node:fs";
import { type LogHold, openLogHold } from "../../database/log_hold.ts";
import { systemClock } from "../../kit/clock.ts";
import type { Mode } from "../../kit/mode.ts";
import { ChainBroken, LogChain } from "./chain.ts";
import type { Answer, Question } from "./messages.ts";

declare const self: Worker;

interface Followed {
  readonly chain: LogChain;
  readonly hold: LogHold;
  readonly file: number;
}

const clock = systemClock();
const followed = new Map<Mode, Followed>();

function open({ world, spool, place, path, goes_on }: Question): Followed {
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

function begin({ chain, hold, file }: Followed): void {
  if (!hold.hold()) throw new ChainBroken("its log could not be held");
  chain.begin(file, hold.facts(), clock.now());
}

function take(log: Followed): void {
  if (log.chain.end === null) begin(log);
  else {
    log.chain.take(log.file);
    log.hold.move();
  }
}

function close(world: Mode, log: Followed): void {
  try {
    log.chain.take(log.file);
  } finally {
    letGo(world, log);
  }
}

function letGo(world: Mode, { hold, file }: Followed): void {
  followed.delete(world);
  hold.close();
  closeSync(file);
}

function giveUp({ chain, hold }: Followed): void {
  hold.letGo();
  chain.forget();
}

function run(question: Question): void {
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

/** Ends a chain that does not go on, and begins another where the log is still followed. */
function renewed(world: Mode): string | null {
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

function answerTo(question: Question): Answer {
  const chain = followed.get(question.world)?.chain ?? null;
  const { broken, failed } = tried(() => run(question));
  const again = broken === null ? failed : renewed(question.world);
  const end = (followed.get(question.world)?.chain ?? chain)?.end ?? null;
  const { chain: name = null, index = -1, number = 0, at = 0 } = end ?? {};
  return { id: question.id, chain: name, index, number, at, broken, failed: again };
}

self.onmessage = ({ data }: MessageEvent<Question>) => self.postMessage(answerTo(data));
