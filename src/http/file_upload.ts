// Files in the bodies of requests. Only a few are imported at once, to save memory and leave time for other requests.
import { Type } from "@sinclair/typebox";
import { type DecimalSign, decimalSigns } from "../core/csv_columns.ts";
import type { CsvInput } from "../core/csv_table.ts";
import { Fault } from "../core/faults.ts";
import { gauge } from "../core/metrics.ts";
import { choice } from "../core/schema.ts";
import type { Call } from "./call.ts";
import { csv, readBody } from "./request_input.ts";
import { traceOf } from "./trace.ts";

/** How many files are in memory at a time, and how many of them are imported at once. */
const held_max = 8;
const at_work_max = 2;

// A client that needs longer to send its file would keep others waiting.
const sending_seconds_max = 120;

const piece_bytes = 64 << 10;
const under_way = gauge("packhouse_imports_under_way", "Files that are being imported or wait for their turn.");

let held = 0;
let at_work = 0;
const waiting: (() => void)[] = [];

/** The query parameters of every import. */
export const fileFields = {
  decimal: Type.Optional(
    choice(decimalSigns, {
      description:
        "The decimal separator of the file. Declare it where numbers hold commas, or a point before three digits:" +
        " without it, a row with a number such as `1,5`, `1,000` or `1.000` is refused. The other character may then" +
        " separate thousands.",
    }),
  ),
  map: Type.Optional(
    Type.String({
      maxLength: 4000,
      description:
        "Which columns of the file are which of ours, such as `Variant SKU:sku,Title:name`; `Handle:` leaves a column" +
        " out. With a map, columns of other names are left out, too.",
    }),
  ),
};

/** What the query of an import says about its file. */
export interface FileQuery {
  readonly decimal?: DecimalSign | null;
  readonly map?: string | null;
}

/**
 * Reads the file in a request's body and works on it when its turn has come. Refuses: unavailable, when others wait
 * already; payload_too_large, unsupported_media_type, malformed_request, also when it is not sent to its end in time.
 */
export async function withFile<Done>(
  call: Call,
  { decimal = null, map = null }: FileQuery,
  work: (file: CsvInput) => Promise<Done>,
): Promise<Done> {
  if (held >= held_max) {
    const message = "Other files are being imported, and more of them wait. Nothing was done; send it again.";
    throw new Fault("unavailable", message, { retry_after_seconds: 10 });
  }
  held += 1;
  under_way.add(1);
  const { waitFor } = traceOf(call.request);
  try {
    waitFor?.(sending_seconds_max);
    const bytes = await readBody(call.request, csv);
    // From here on nothing is sent or received until the import is done.
    waitFor?.(0);
    // One letter for each byte is enough for the fingerprint of the request.
    call.raw_body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    const charset = /;\s*charset="?([\w-]+)/i.exec(call.request.headers.get("content-type") ?? "")?.[1] ?? null;
    return await inTurn(() => work({ bytes: () => piecesOf(bytes), charset, decimal, map }));
  } finally {
    held -= 1;
    under_way.add(-1);
  }
}

async function inTurn<Done>(work: () => Promise<Done>): Promise<Done> {
  if (at_work >= at_work_max) await new Promise<void>((resolve) => waiting.push(resolve));
  else at_work += 1;
  try {
    return await work();
  } finally {
    // The next one that waits takes the place.
    const next = waiting.shift();
    if (next === undefined) at_work -= 1;
    else next();
  }
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += piece_bytes) yield bytes.subarray(at, at + piece_bytes);
}
