// Files in the bodies of requests: a few are taken in at once, so that neither memory nor the others suffer.
import { Fault } from "../kit/fault.ts";
import { gauge } from "../kit/meter.ts";
import type { Call } from "./call.ts";
import { csv, readBody } from "./input.ts";
import { traceOf } from "./trace.ts";

/** Files that are in memory at a time, and those of them that are worked on. */
const held_max = 8;
const at_work_max = 2;

// Whoever sends more slowly than 10 MiB in so long would keep the place from others.
const sending_seconds_max = 120;

const piece_bytes = 64 << 10;
const under_way = gauge("packhouse_imports_under_way", "Files that are taken in, or wait for their turn.");

let held = 0;
let at_work = 0;
const waiting: (() => void)[] = [];

/** A file, as often as it is read. */
interface SentFile {
  readonly bytes: () => Iterable<Uint8Array>;
  /** Its encoding, as the request names it. */
  readonly charset: string | null;
}

/**
 * Reads the file in a request's body and works on it when its turn has come. Refuses: unavailable, when others wait
 * already; payload_too_large, unsupported_media_type, malformed_request, also when it is not sent to its end in time.
 */
export async function withFile<Done>(call: Call, work: (file: SentFile) => Promise<Done>): Promise<Done> {
  if (held >= held_max) {
    const message = "Other files are being taken in, and more of them wait. Nothing was done; send it again.";
    throw new Fault("unavailable", message, { retry_after_seconds: 10 });
  }
  held += 1;
  under_way.add(1);
  const { waitFor } = traceOf(call.request);
  try {
    waitFor?.(sending_seconds_max);
    const bytes = await readBody(call.request, csv);
    // From here on no byte goes either way, for as long as it takes.
    waitFor?.(0);
    // A letter for each byte: what tells one request from another needs no more.
    call.raw_body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    const charset = /;\s*charset="?([\w-]+)/i.exec(call.request.headers.get("content-type") ?? "")?.[1] ?? null;
    return await inTurn(() => work({ bytes: () => piecesOf(bytes), charset }));
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
    // Whoever waits takes over the place.
    const next = waiting.shift();
    if (next === undefined) at_work -= 1;
    else next();
  }
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += piece_bytes) yield bytes.subarray(at, at + piece_bytes);
}
