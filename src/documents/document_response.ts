import type { Log } from "../core/log.ts";
import type { Call } from "../http/call.ts";
import type { PaperFormat, PrintDocument } from "./document.ts";
import { htmlPolicy } from "./document_html.ts";
import { render } from "./render.ts";

/** How a paper is answered; `now` is the time printed on it, in milliseconds. */
interface PaperAnswer {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly format: Exclude<PaperFormat, "json">;
  readonly now: number;
}

/** Answers with a paper. It is drawn after the read, never in a transaction. */
export async function answerPaper(
  call: Call,
  log: Log,
  paper: PrintDocument,
  { name, format, now }: PaperAnswer,
): Promise<Response> {
  const isHtml = format === "html";
  const bytes = await render({ kind: "paper", paper, format, now }, log);
  return new Response(new Uint8Array(bytes), {
    headers: {
      ...call.headers,
      "content-type": isHtml ? "text/html; charset=utf-8" : "application/pdf",
      "content-disposition": `inline; filename="${name}.${format}"`,
      ...(isHtml ? { "content-security-policy": htmlPolicy, "x-content-type-options": "nosniff" } : {}),
      "cache-control": "private, no-store",
      vary: "Accept",
      "x-request-id": call.request_id,
    },
  });
}
