// The worker thread that checks a database for damage, one table per request. The build compiles each worker file.
import { type CheckDepth, openWholeCheck, type WholeCheck } from "./whole_check.ts";

/** The position of the table to check; null closes the database. */
export interface CheckRequest {
  readonly path: string;
  readonly depth: CheckDepth;
  readonly table: number;
}

/** The damage of the table, and whether it is the last one; or the error. */
export type CheckResponse =
  | { readonly problem: string | null; readonly last: boolean }
  | { readonly code: string; readonly message: string };

declare const self: Worker;

let opened: WholeCheck | null = null;

function answerTo(question: CheckRequest | null): CheckResponse {
  if (question === null) {
    opened?.close();
    return { problem: null, last: true };
  }
  try {
    opened ??= openWholeCheck(question.path);
    const { tables } = opened;
    const table = tables[question.table];
    return {
      problem: table === undefined ? null : opened.problemOf(table, question.depth),
      last: question.table + 1 >= tables.length,
    };
  } catch (error) {
    // Errors lose their code between threads.
    const { code = "", message = "" } = error as { code?: string; message?: string };
    return { code, message };
  }
}

self.onmessage = ({ data }: MessageEvent<CheckRequest | null>) => self.postMessage(answerTo(data));
