// File uploads. Only a few files are imported at once, to save memory and leave time for other requests.
import { Type } from "@sinclair/typebox";
import { type DecimalSign, decimalSigns } from "../core/csv_columns.ts";
import type { CsvInput } from "../core/csv_table.ts";
import { Fault, invalid } from "../core/faults.ts";
import { gauge } from "../core/metrics.ts";
import { choice } from "../core/schema.ts";
import type { Call } from "./call.ts";
import { csv, fileUpTo, readBody } from "./request_input.ts";
import { traceOf } from "./trace.ts";

/** How many files are in memory at a time, and how many of those are imported at once. */
const in_memory_max = 8;
const importing_max = 2;

// A client that needs longer to send its file would keep others waiting.
const sending_seconds_max = 120;

const chunk_bytes = 64 << 10;
const under_way = gauge("packhouse_imports_under_way", "Files that are being imported or queued.");

let in_memory = 0;
let importing = 0;
const waiting: (() => void)[] = [];

/** The query parameters of every import. */
export const fileFields = {
  decimal: Type.Optional(
    choice(decimalSigns, {
      description:
        "The file's decimal separator. Declare it if numbers contain commas, or a point followed by three digits:" +
        " without it, a row with a number such as `1,5`, `1,000` or `1.000` is refused. The other character can then" +
        " separate thousands.",
    }),
  ),
  map: Type.Optional(
    Type.String({
      maxLength: 4000,
      description:
        "Maps the file's columns to Packhouse columns, such as `Variant SKU:sku,Title:name`. `Handle:` ignores a" +
        " column. With a map, columns with unknown names are ignored, too.",
    }),
  ),
};

/** How the query of an import describes its file. */
export interface FileQuery {
  readonly decimal?: DecimalSign | null;
  readonly map?: string | null;
}

/**
 * Reads the file in a request's body and runs `work` on it in turn.
 * Refuses: unavailable, when too many files are queued; payload_too_large, unsupported_media_type, malformed_request,
 * also when the file does not arrive in time.
 */
export async function withFile<Done>(
  call: Call,
  { decimal = null, map = null }: FileQuery,
  work: (file: CsvInput) => Promise<Done>,
): Promise<Done> {
  if (in_memory >= in_memory_max) {
    const message = "Too many files are being imported. Nothing was imported; send the file again later.";
    throw new Fault("unavailable", message, { retry_after_seconds: 10 });
  }
  in_memory += 1;
  under_way.add(1);
  const { waitFor } = traceOf(call.request);
  try {
    waitFor?.(sending_seconds_max);
    const bytes = await readBody(call.request, csv);
    // Nothing more is sent or received until the import is done.
    waitFor?.(0);
    // One character per byte is enough for the request's fingerprint.
    call.raw_body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    const charset = /;\s*charset="?([\w-]+)/i.exec(call.request.headers.get("content-type") ?? "")?.[1] ?? null;
    return await inTurn(() => work({ bytes: () => chunksOf(bytes), charset, decimal, map }));
  } finally {
    in_memory -= 1;
    under_way.add(-1);
  }
}

async function inTurn<Done>(work: () => Promise<Done>): Promise<Done> {
  if (importing >= importing_max) await new Promise<void>((resolve) => waiting.push(resolve));
  else importing += 1;
  try {
    return await work();
  } finally {
    // The next queued file takes the slot.
    const next = waiting.shift();
    if (next === undefined) importing -= 1;
    else next();
  }
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += chunk_bytes) yield bytes.subarray(at, at + chunk_bytes);
}

/** A file that a client sent, and the name that it has there; null for none. */
interface UploadedFile {
  readonly bytes: Uint8Array;
  readonly name: string | null;
}

/**
 * Reads the file in a request's body, of at most `bytes_max`: the body itself, or the file in the field `file` of a
 * form.
 * Refuses: payload_too_large, unsupported_media_type, malformed_request, also when the file does not arrive in time;
 * validation_failed.
 */
export async function readUpload(call: Call, bytes_max: number): Promise<UploadedFile> {
  const { waitFor } = traceOf(call.request);
  waitFor?.(sending_seconds_max);
  const body = await readBody(call.request, fileUpTo(bytes_max));
  waitFor?.(0);
  const type = call.request.headers.get("content-type") ?? "";
  const sent = /^multipart\//i.test(type) ? await fileInForm(body, type) : { bytes: body, name: null };
  if (sent.bytes.byteLength === 0) throw invalid("file", "is required: send it as the body", "required");
  if (sent.bytes.byteLength > bytes_max) {
    throw new Fault("payload_too_large", `The file exceeds ${bytes_max} bytes.`);
  }
  // A form's boundary differs each time that it is sent, so the fingerprint is that of the file.
  const digest = new Bun.CryptoHasher("sha256").update(sent.bytes).digest("hex");
  call.raw_body = `${digest} ${sent.name ?? ""}`;
  return sent;
}

async function fileInForm(body: Uint8Array, type: string): Promise<UploadedFile> {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData().catch(() => {
    throw new Fault("malformed_request", "The form is incomplete.");
  });
  const found = form.get("file");
  if (found === null || typeof found === "string") throw invalid("file", "must be a file in the form", "required");
  return { bytes: await found.bytes(), name: plainName(found.name) };
}

const name_max = 200;

/** A file's name without folders and control characters; null if nothing is left. */
function plainName(name: string): string | null {
  const last = name.split(/[\\/]/).at(-1) ?? "";
  const plain = last.replaceAll(/\p{C}/gu, "").trim().slice(0, name_max);
  return plain === "" ? null : plain;
}
