// Printers of tests: a label printer that keeps what it receives, and an IPP printer that reads requests.
import { afterAll } from "bun:test";
import { createServer, type Socket } from "node:net";

/** What a label printer does with a connection. */
type Mood = "prints" | "drops" | "keeps_open" | "reads_late";

/** A label printer on a port of this machine. */
export async function openLabelPrinter() {
  const documents: Buffer[] = [];
  let mood: Mood = "prints";
  let connections = 0;
  let most_at_once = 0;
  const sockets = new Set<Socket>();
  /** The connections whose end the other side has not sent. */
  const sending = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    sending.add(socket);
    most_at_once = Math.max(most_at_once, sending.size);
    const chunks: Buffer[] = [];
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket) && sending.delete(socket));
    if (mood === "reads_late") {
      socket.pause();
      setTimeout(() => socket.resume(), 500);
    }
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (mood === "drops") socket.resetAndDestroy();
    });
    socket.on("end", () => {
      sending.delete(socket);
      documents.push(Buffer.concat(chunks));
      if (mood !== "keeps_open") socket.end();
    });
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as { port: number };
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  afterAll(() => (server.listening ? close() : undefined));
  return {
    place: { host: "127.0.0.1", port },
    documents,
    connections: () => connections,
    most_at_once: () => most_at_once,
    become: (next: Mood) => {
      mood = next;
    },
    turnOff: close,
    turnOn: () => listen(port),
  };
}

/** A request that an IPP printer received. */
interface IppRequest {
  readonly operation: number;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly document: Buffer;
}

/** Reads a request by the layout of RFC 8010. */
function readRequest(bytes: Buffer): IppRequest {
  const attributes: Record<string, string[]> = {};
  let at = 8;
  let name = "";
  for (;;) {
    const tag = bytes[at] ?? 3;
    at += 1;
    if (tag === 3) break;
    if (tag < 0x10) continue;
    const name_size = bytes.readUInt16BE(at);
    name = bytes.toString("utf8", at + 2, at + 2 + name_size) || name;
    at += 2 + name_size;
    const size = bytes.readUInt16BE(at);
    attributes[name] = [...(attributes[name] ?? []), bytes.toString("utf8", at + 2, at + 2 + size)];
    at += 2 + size;
  }
  return { operation: bytes.readUInt16BE(2), attributes, document: bytes.subarray(at) };
}

function reply(status: number, attributes: readonly (readonly [tag: number, name: string, value: Uint8Array])[]) {
  const sized = (bytes: Uint8Array) => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
  const head = Buffer.from([1, 1, status >> 8, status & 255, 0, 0, 0, 1, 4]);
  const rows = attributes.map(([tag, name, value]) =>
    Buffer.concat([Buffer.from([tag]), sized(Buffer.from(name)), sized(value)]),
  );
  return Buffer.concat([head, ...rows, Buffer.from([3])]);
}

/** How an IPP printer behaves. */
interface IppMood {
  readonly formats?: readonly string[];
  readonly accepts?: boolean;
  /** The status of its reply to a document. */
  readonly status?: number;
  /** Whether it closes the connection after it has the document. */
  readonly drops?: boolean;
}

/** An IPP printer on a port of this machine, over plain HTTP or with a certificate that it signed itself. */
export function openIppPrinter(tls?: { readonly key: string; readonly cert: string }) {
  const printed: IppRequest[] = [];
  let mood: IppMood = {};
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    ...(tls && { tls }),
    async fetch(request, running) {
      const received = readRequest(Buffer.from(await request.arrayBuffer()));
      const { formats = ["application/octet-stream", "application/pdf"], accepts = true, status = 0, drops } = mood;
      const headers = { "content-type": "application/ipp" };
      if (received.operation === 0x000b) {
        const [first = "", ...others] = formats;
        return new Response(
          reply(0, [
            [0x49, "document-format-supported", Buffer.from(first)],
            ...others.map((format) => [0x49, "", Buffer.from(format)] as const),
            [0x22, "printer-is-accepting-jobs", Buffer.from([accepts ? 1 : 0])],
            [0x23, "printer-state", Buffer.from([0, 0, 0, 3])],
          ]),
          { headers },
        );
      }
      printed.push(received);
      if (drops) await running.stop(true);
      return new Response(reply(status, [[0x41, "status-message", Buffer.from("no paper today")]]), { headers });
    },
  });
  afterAll(() => server.stop(true));
  return {
    place: { host: "127.0.0.1", port: server.port ?? 0 },
    printed,
    become: (next: IppMood) => {
      mood = next;
    },
  };
}
