// Stands alone because it is the only document code that depends on HTTP.
import type { Log } from "../core/log.ts";
import type { Call } from "../http/call.ts";
import type { DocumentFormat, PrintDocument } from "./document.ts";
import { htmlPolicy } from "./document_html.ts";
import { render } from "./render.ts";

/** `now` is the printed time, in milliseconds. */
interface DocumentResponseOptions {
  /** The file name without its extension. */
  readonly name: string;
  readonly format: Exclude<DocumentFormat, "json">;
  readonly now: number;
}

/** Responds with a document. Call it after the read: drawing must not run in a transaction. */
export async function sendDocument(
  call: Call,
  log: Log,
  document: PrintDocument,
  { name, format, now }: DocumentResponseOptions,
): Promise<Response> {
  const isHtml = format === "html";
  const bytes = await render({ kind: "document", document, format, now }, log);
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
