// Looks through a database for damage while it is in use, in a thread of its own. It goes from table to table, so that
// no view of the data is held for long (the log would grow meanwhile) and a service that ends has little to wait for.
import { startWorker } from "../../core/workers.ts";
import type { CheckAnswer, CheckQuestion } from "./check_worker.ts";
import type { CheckDepth } from "./whole_check.ts";

/** What is damaged in a database; null when nothing is, or when `ending` came before all was looked at. */
export async function findDamage(path: string, depth: CheckDepth, ending: AbortSignal): Promise<string | null> {
  const worker = startWorker("check");
  let is_lost = false;
  const ask = (question: CheckQuestion | null) =>
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

function checkAnswerOf(worker: Worker, question: CheckQuestion | null): Promise<CheckAnswer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<CheckAnswer>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(question);
  });
}
