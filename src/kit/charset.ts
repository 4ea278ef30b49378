// The encodings of files that spreadsheets write. All of a file is read as UTF-8, or refused.
import type { Bytes } from "./csv.ts";
import { Fault } from "./fault.ts";

type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

const encodings: Readonly<Record<string, Encoding>> = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "us-ascii": "utf-8",
  "utf-16": "utf-16le",
  "utf-16le": "utf-16le",
  "utf-16be": "utf-16be",
  "windows-1252": "windows-1252",
  "iso-8859-1": "windows-1252",
  latin1: "windows-1252",
};

/**
 * A file in UTF-8, without a byte order mark. `named` is its encoding if it was given; null when it is detected from
 * the first bytes. Refuses: unsupported_media_type, malformed_request.
 */
export async function* asUtf8(bytes: Bytes, named: string | null): AsyncGenerator<Uint8Array> {
  const said = named === null ? null : encodings[named.toLowerCase()];
  if (said === undefined) {
    throw new Fault("unsupported_media_type", "A file of CSV can be in utf-8, utf-16 or windows-1252.");
  }
  const text = new TextEncoder();
  let decoder: TextDecoder | null = null;
  for await (const piece of bytes) {
    decoder ??= new TextDecoder(encodingOf(piece) ?? said ?? "utf-8", { fatal: true });
    yield text.encode(decoded(decoder, piece));
  }
  if (decoder !== null) yield text.encode(decoded(decoder));
}

function decoded(decoder: TextDecoder, piece?: Uint8Array): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    const way = 'Save it as "CSV UTF-8", or name its encoding (such as charset=windows-1252).';
    const name = decoder.encoding.toUpperCase();
    throw new Fault("malformed_request", `The file is not valid ${name}. ${way}`);
  }
}

/** What the first bytes show: a byte order mark, or the empty half of a letter in UTF-16. */
function encodingOf([first, second]: Uint8Array): Encoding | null {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return "utf-16be";
  return first === 0xef && second === 0xbb ? "utf-8" : null;
}
