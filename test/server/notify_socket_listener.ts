// A service manager's end of the socket: prints each datagram as a line of JSON. It is a separate program, since it
// waits for datagrams in the C library, which the runtime cannot.
import { dlopen, FFIType, ptr } from "bun:ffi";

const { i32, u32, u64, ptr: pointer } = FFIType;

if (import.meta.main) {
  const [address = ""] = process.argv.slice(2);
  const { socket, bind, recv } = dlopen("libc.so.6", {
    socket: { args: [i32, i32, i32], returns: i32 },
    bind: { args: [i32, pointer, u32], returns: i32 },
    recv: { args: [i32, pointer, u64, i32], returns: i32 },
  }).symbols;
  const where = Buffer.concat([new Uint8Array([1, 0]), Buffer.from(address.replace(/^@/, "\0"))]);
  const descriptor = socket(1, 2, 0);
  if (bind(descriptor, ptr(where), where.length) !== 0) throw new Error(`${address} cannot be bound`);
  const room = Buffer.alloc(4096);
  process.stdout.write('["bound"]\n');
  for (;;) {
    const length = recv(descriptor, ptr(room), room.length, 0);
    process.stdout.write(`${JSON.stringify(room.subarray(0, length).toString().split("\n"))}\n`);
  }
}

/** The datagrams that a manager has received and will receive, one after another. */
export interface Manager {
  /** The next datagram, as lines. */
  next(): Promise<string[]>;
  /** The next datagram that has this line, and those before it. */
  until(line: string): Promise<{ found: string[]; before: string[][] }>;
  end(): void;
}

/** Listens at an address in the format of `NOTIFY_SOCKET`. */
export async function listenAsManager(address: string): Promise<Manager> {
  const child = Bun.spawn([process.execPath, import.meta.path, address], { stdout: "pipe", stdin: "ignore" });
  const lines = linesOf(child.stdout);
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("The manager's end is closed.");
    return JSON.parse(value) as string[];
  };
  await next();
  return {
    next,
    until: async (line) => {
      const before: string[][] = [];
      for (;;) {
        const found = await next();
        if (found.includes(line)) return { found, before };
        before.push(found);
      }
    },
    end: () => child.kill("SIGKILL"),
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
