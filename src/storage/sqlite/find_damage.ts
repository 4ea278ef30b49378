// Checks a database for damage while it is in use, in a thread of its own. It proceeds table by table, so that no view
// is held for long (the log would grow) and a shutdown does not wait long.
import { startWorker } from "../../core/workers.ts";
import type { CheckRequest, CheckResponse } from "./check_worker.ts";
import type { CheckDepth } from "./whole_check.ts";

/** The damage of a database; null if there is none, or if `ending` aborted the check. */
export async function findDamage(path: string, depth: CheckDepth, ending: AbortSignal): Promise<string | null> {
  const worker = startWorker("check");
  let is_lost = false;
  const ask = (question: CheckRequest | null) =>
    checkAnswerOf(worker, question).catch((error) => {
      is_lost = true;
      throw error;
    });
  try {
    for (let table = 0; !ending.aborted; table += 1) {
      const answer = await ask({ path, depth, table });
      if ("message" in answer && /^SQLITE_(CORRUPT|NOTADB)/.test(answer.code)) return answer.message;
      if ("message" in answer) throw Object.assign(new Error(answer.message), { code: answer.code });
      if (answer.problem !== null) return answer.problem;
      if (answer.last) break;
    }
    return null;
  } finally {
    if (!is_lost) await ask(null);
    worker.terminate();
  }
}

function checkAnswerOf(worker: Worker, question: CheckRequest | null): Promise<CheckResponse> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<CheckResponse>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(question);
  });
}
