// A range of an open file in small pieces.
import { read } from "node:fs";
import { promisify } from "node:util";

const readFrom = promisify(read);

const piece_bytes = 1024 * 1024;

/**
 * The first so many bytes of an open file. What the file lacks of them by then, since it was cut shorter, is zeros: a
 * checkpoint cuts only pages off that the view does not have.
 */
export async function* filePieces(file: number, size_bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size_bytes; ) {
    const piece = Buffer.allocUnsafe(Math.min(piece_bytes, size_bytes - at));
    const { bytesRead } = await readFrom(file, piece, 0, piece.length, at);
    if (bytesRead === 0) piece.fill(0);
    const got = bytesRead === 0 ? piece.length : bytesRead;
    at += got;
    yield piece.subarray(0, got);
  }
}
