// Long JSON is kept packed: as DEFLATE (RFC 1951) with a dictionary of what such texts say anyway, so that each of them
// becomes a fifth of its size although it is packed by itself. A packed text begins with the number of its dictionary.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import inventory from "./dictionaries/inventory.txt" with { type: "text" };
import label from "./dictionaries/label.txt" with { type: "text" };
import order from "./dictionaries/order.txt" with { type: "text" };
import shipment from "./dictionaries/shipment.txt" with { type: "text" };

interface Dictionary {
  readonly number: number;
  /** What stands near the beginning of the texts that it is for. */
  readonly told_by: string;
  readonly bytes: Uint8Array;
}

// Never changed, since what is kept needs them: another dictionary gets another number. They are short, since each text
// takes its time to read them.
const dictionaries: readonly Dictionary[] = [
  { number: 1, told_by: '"type":"order.', bytes: Buffer.from(order) },
  { number: 2, told_by: '"type":"inventory.', bytes: Buffer.from(inventory) },
  { number: 3, told_by: '"type":"shipment.', bytes: Buffer.from(shipment) },
  { number: 4, told_by: '"operations":', bytes: Buffer.from(label) },
];
const usual = dictionaries[0] as Dictionary;
const beginning_characters = 120;
// What is shorter would hardly become so.
const packed_characters_min = 300;
// The fastest: other levels take twice as long for a tenth less.
// A chunk is made anew for each text, of 16 KiB unless told: few texts need more than one of these.
const settings = { level: 1, windowBits: 13, memLevel: 5, chunkSize: 1024 };

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The bytes that keep a text: packed, or as they are where that would gain little. */
export function pack(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const [first = 0] = bytes;
  // Text that begins like packed bytes is packed as well.
  if (text.length < packed_characters_min && !isNumber(first)) return bytes;
  const beginning = text.slice(0, beginning_characters);
  const { number, bytes: dictionary } = dictionaries.find(({ told_by }) => beginning.includes(told_by)) ?? usual;
  return Buffer.concat([Uint8Array.of(number), deflateRawSync(bytes, { ...settings, dictionary })]);
}

/** The text that was packed into these bytes. */
export function unpack(bytes: Uint8Array): string {
  const [first = 0] = bytes;
  if (!isNumber(first)) return decoder.decode(bytes);
  const dictionary = dictionaries[first - 1]?.bytes ?? usual.bytes;
  return decoder.decode(inflateRawSync(bytes.subarray(1), { dictionary, windowBits: settings.windowBits }));
}

const isNumber = (byte: number): boolean => byte >= 1 && byte <= dictionaries.length;
