// The mocks' label documents: the smallest files of each kind.
import type { Answered } from "../../outbound/mock_server.ts";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

export const labelFiles: Readonly<Record<string, { type: string; bytes: Uint8Array }>> = {
  pdf: { type: "application/pdf", bytes: Buffer.from("%PDF-1.4\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\n%%EOF\n", "latin1") },
  png: { type: "image/png", bytes: Buffer.from(pixel, "base64") },
  zpl: { type: "application/octet-stream", bytes: Buffer.from("^XA\n^FO40,40^FDlabel^FS\n^XZ\n") },
};

/** The file of a label with this extension, as a server returns it. */
export function labelBytes(ending: string): Answered {
  const { type, bytes } = labelFiles[ending] ?? { type: "text/plain", bytes: new Uint8Array() };
  return { status: 200, body: bytes, headers: { "Content-Type": type } };
}
