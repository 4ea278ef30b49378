// Messages of the Internet Printing Protocol (RFC 8010 and 8011): attributes in groups, each with a tag for its type.

/** The reply of a printer. */
export interface IppReply {
  /** Below 0x0100 if the printer did what was requested. */
  readonly status: number;
  readonly attributes: ReadonlyMap<string, readonly IppValue[]>;
}

type IppValue = string | number | boolean;

const tags = { integer: 0x21, boolean: 0x22, enum: 0x23, name: 0x42, keyword: 0x44, uri: 0x45 } as const;
const more_tags = { charset: 0x47, language: 0x48, mime_type: 0x49 } as const;
const groups = { operation: 0x01, job: 0x02, end: 0x03 } as const;
const operations = { print_job: 0x0002, get_printer_attributes: 0x000b } as const;

type IppAttribute = readonly [tag: number, name: string, ...values: readonly string[]];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function attributeBytes([tag, name, ...values]: IppAttribute): Uint8Array {
  // Further values of an attribute have an empty name.
  return Buffer.concat(values.flatMap((value, at) => [Uint8Array.of(tag), sized(at === 0 ? name : ""), sized(value)]));
}

/** A text after its length in two bytes. */
function sized(text: string): Uint8Array {
  const bytes = encoder.encode(text);
  return Buffer.concat([Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes]);
}

function request(operation: number, uri: string, own: readonly IppAttribute[], ...rest: Uint8Array[]): Uint8Array {
  const head = Uint8Array.of(1, 1, operation >> 8, operation & 0xff, 0, 0, 0, 1, groups.operation);
  const attributes: readonly IppAttribute[] = [
    [more_tags.charset, "attributes-charset", "utf-8"],
    [more_tags.language, "attributes-natural-language", "en"],
    [tags.uri, "printer-uri", uri],
    [tags.name, "requesting-user-name", "Packhouse"],
    ...own,
  ];
  return Buffer.concat([head, ...attributes.map(attributeBytes), ...rest]);
}

/** Asks a printer for what decides whether it takes a document. */
export function ippAttributes(uri: string): Uint8Array {
  const wanted = ["document-format-supported", "printer-is-accepting-jobs", "printer-state"] as const;
  const own: readonly IppAttribute[] = [[tags.keyword, "requested-attributes", ...wanted]];
  return request(operations.get_printer_attributes, uri, own, Uint8Array.of(groups.end));
}

/** What a job prints. */
interface IppJob {
  readonly name: string;
  /** The name of the paper, such as `iso_a4_210x297mm`. */
  readonly media: string;
  readonly pdf: Uint8Array;
}

/** Prints a PDF. */
export function ippPrintJob(uri: string, { name, media, pdf }: IppJob): Uint8Array {
  const own: readonly IppAttribute[] = [
    [tags.name, "job-name", name],
    [more_tags.mime_type, "document-format", "application/pdf"],
  ];
  const ofJob = [Uint8Array.of(groups.job), attributeBytes([tags.keyword, "media", media])];
  return request(operations.print_job, uri, own, ...ofJob, Uint8Array.of(groups.end), pdf);
}

/** Reads the reply of a printer; null if it is none. */
export function readIppReply(bytes: Uint8Array): IppReply | null {
  if (bytes.length < 9) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const attributes = new Map<string, IppValue[]>();
  let at = 8;
  let last = "";
  const piece = () => {
    const size = view.getUint16(at);
    const part = bytes.subarray(at + 2, at + 2 + size);
    at += 2 + size;
    return part;
  };
  try {
    for (let tag = view.getUint8(at++); tag !== groups.end; tag = view.getUint8(at++)) {
      if (tag < 0x10) continue; // A group begins.
      const name = decoder.decode(piece());
      last = name || last;
      attributes.getOrInsertComputed(last, () => []).push(ippValue(tag, piece()));
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  return { status: view.getUint16(2), attributes };
}

function ippValue(tag: number, bytes: Uint8Array): IppValue {
  if (tag === tags.boolean) return bytes[0] === 1;
  if (tag !== tags.integer && tag !== tags.enum) return decoder.decode(bytes);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getInt32(0);
}
