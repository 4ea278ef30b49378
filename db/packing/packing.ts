// Long JSON is stored as DEFLATE (RFC 1951) with a dictionary of common contents, so that each text shrinks to a fifth
// although it is compressed on its own. A packed text starts with the number of its dictionary.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import inventory from "./dictionaries/inventory.txt" with { type: "text" };
import label from "./dictionaries/label.txt" with { type: "text" };
import order from "./dictionaries/order.txt" with { type: "text" };
import shipment from "./dictionaries/shipment.txt" with { type: "text" };

interface Dictionary {
  readonly number: number;
  /** A string near the beginning of the texts that use this dictionary. */
  readonly marker: string;
  readonly bytes: Uint8Array;
}

// Stored texts need these dictionaries, so they never change; a new one gets a new number. They are short, since
// reading a dictionary takes time for each text.
const dictionaries: readonly Dictionary[] = [
  { number: 1, marker: '"type":"order.', bytes: Buffer.from(order) },
  { number: 2, marker: '"type":"inventory.', bytes: Buffer.from(inventory) },
  { number: 3, marker: '"type":"shipment.', bytes: Buffer.from(shipment) },
  { number: 4, marker: '"operations":', bytes: Buffer.from(label) },
];
const default_dictionary = dictionaries[0] as Dictionary;
const beginning_characters = 120;
// Shorter texts hardly shrink.
const packed_characters_min = 300;
// The fastest level: others take twice as long and save a tenth more. A buffer of `chunkSize` is allocated per text
// (16 KiB by default); most texts need only one of this size.
const settings = { level: 1, windowBits: 13, memLevel: 5, chunkSize: 1024 };

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Compresses a text, unless it is too short to shrink. */
export function pack(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const [first = 0] = bytes;
  // Text that begins like packed bytes is packed as well.
  if (text.length < packed_characters_min && !isDictionary(first)) return bytes;
  const beginning = text.slice(0, beginning_characters);
  const { number, bytes: dictionary } =
    dictionaries.find(({ marker: told_by }) => beginning.includes(told_by)) ?? default_dictionary;
  return Buffer.concat([Uint8Array.of(number), deflateRawSync(bytes, { ...settings, dictionary })]);
}

/** Returns the text of packed bytes. */
export function unpack(bytes: Uint8Array): string {
  const [first = 0] = bytes;
  if (!isDictionary(first)) return decoder.decode(bytes);
  const dictionary = dictionaries[first - 1]?.bytes ?? default_dictionary.bytes;
  return decoder.decode(inflateRawSync(bytes.subarray(1), { dictionary, windowBits: settings.windowBits }));
}

const isDictionary = (byte: number): boolean => byte >= 1 && byte <= dictionaries.length;
