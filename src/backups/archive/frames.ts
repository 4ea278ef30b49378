// Follows the zstd frames of an archive (RFC 8878, section 3.1): the decompressor does not notice when the end of the
// last frame is missing, or when a few bytes follow it.

const magic = 0xfd2fb528;
const magic_bytes = 4;
const block_header_bytes = 3;
const rle_block = 1;

/** Passes the bytes of an archive on. Throws if they do not end with the end of a frame. */
export async function* wholeFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const frames = new Frames();
  for await (const piece of bytes) {
    frames.follow(piece);
    yield piece;
  }
  if (!frames.isWhole) throw new Error("the archive does not end with the end of a frame");
}

type Part = "magic" | "descriptor" | "header" | "block";

class Frames {
  #part: Part = "magic";
  /** The bytes of the part read so far, their number, and the number of bytes to skip after it. */
  #read: number[] = [];
  #size = magic_bytes;
  #skip = 0;
  #has_checksum = false;
  #count = 0;
  /** Whether the input has no frames. The decompressor reports that. */
  #is_foreign = false;

  get isWhole(): boolean {
    return this.#is_foreign || (this.#part === "magic" && this.#read.length === 0 && this.#skip === 0);
  }

  follow(piece: Uint8Array): void {
    for (let at = 0; at < piece.length && !this.#is_foreign; ) {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, piece.length - at);
        this.#skip -= passed;
        at += passed;
        continue;
      }
      this.#read.push(piece[at] ?? 0);
      at += 1;
      if (this.#read.length === this.#size) this.#next(this.#read.splice(0));
    }
  }

  #next(read: readonly number[]): void {
    const number = read.reduce((sum, byte, place) => sum + byte * 256 ** place, 0);
    if (this.#part === "magic") this.#begin(number);
    else if (this.#part === "descriptor") this.#describe(number);
    else if (this.#part === "header") this.#await("block", block_header_bytes);
    else this.#block(number);
  }

  #begin(number: number): void {
    if (number === magic) this.#await("descriptor", 1);
    else if (this.#count === 0) this.#is_foreign = true;
    else throw new Error("something follows the last frame of the archive");
    this.#count += 1;
  }

  #describe(descriptor: number): void {
    const is_single = (descriptor & 0x20) !== 0;
    this.#has_checksum = (descriptor & 0x04) !== 0;
    const content_size = [is_single ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
    const dictionary_size = [0, 1, 2, 4][descriptor & 0x03] ?? 0;
    const size = (is_single ? 0 : 1) + dictionary_size + content_size;
    this.#await("header", size);
  }

  #block(header: number): void {
    const is_last = (header & 1) === 1;
    const size = header >> 3;
    this.#skip = ((header >> 1) & 3) === rle_block ? 1 : size;
    if (is_last && this.#has_checksum) this.#skip += 4;
    if (is_last) this.#await("magic", magic_bytes);
    else this.#await("block", block_header_bytes);
  }

  #await(part: Part, size: number): void {
    this.#part = part;
    this.#size = size;
  }
}
