// The worker thread that checks a database for damage, one table per request.
import { type CheckDepth, openWholeCheck, type WholeCheck } from "./whole_check.ts";

/** Which table to look at next, by its place; null lets go of the database. */
export interface CheckQuestion {
  readonly path: string;
  readonly depth: CheckDepth;
  readonly table: number;
}

/** What is damaged in the table, and whether it is the last one; or why it could not be looked at. */
export type CheckAnswer =
  | { readonly problem: string | null; readonly last: boolean }
  | { readonly code: string; readonly message: string };

declare const self: Worker;

let opened: WholeCheck | null = null;

function answerTo(question: CheckQuestion | null): CheckAnswer {
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
    // An error loses its code on the way between threads.
    const { code = "", message = "" } = error as { code?: string; message?: string };
    return { code, message };
  }
}

self.onmessage = ({ data }: MessageEvent<CheckQuestion | null>) => self.postMessage(answerTo(data));
