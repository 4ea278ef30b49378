// What a service asks of PostgreSQL, counted on the way: an address that hands on all it is sent, and notes how many
// statements went in how many trips.
import type { Socket } from "bun";

/** What went by since counting began. */
export interface Asked {
  /** Statements that read or change rows. */
  readonly statements: number;
  /** Beginnings, ends, savepoints and the time. */
  readonly control: number;
  /** How often the server was sent something and waited for. */
  readonly trips: number;
}

interface Line {
  readonly to: Socket<unknown>;
  /** What is left of a message that has not come whole. */
  rest: Buffer;
  /** Whether the first message, which has no kind, has gone by. */
  begun: boolean;
  readonly texts: Map<string, string>;
}

const messages = { parse: 0x50, bind: 0x42, sync: 0x53, query: 0x51 } as const;
const isControl = (text: string) => /^(begin|commit|rollback|savepoint|release|set|select \(?extract)/i.test(text);

/** Opens an address before a database's that counts what goes to it. */
export async function countingAddress(url: string) {
  const target = new URL(url);
  const count = { statements: 0, control: 0, trips: 0 };
  const lines = new WeakMap<Socket<unknown>, Line>();
  const note = (line: Line, kind: number, body: Buffer) => {
    const [first = "", second = ""] = body.toString("latin1").split("\0", 2);
    if (kind === messages.parse) line.texts.set(first, second);
    else if (kind === messages.bind) count[isControl(line.texts.get(second) ?? "") ? "control" : "statements"] += 1;
    else if (kind === messages.sync) count.trips += 1;
    else if (kind === messages.query) {
      count.trips += 1;
      count[isControl(first) ? "control" : "statements"] += 1;
    }
  };
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      async open(from) {
        from.pause();
        const to = await Bun.connect({
          hostname: target.hostname,
          port: Number(target.port),
          socket: {
            data: (_, data) => void from.write(data),
            close: () => void from.end(),
          },
        });
        lines.set(from, { to, rest: Buffer.alloc(0), begun: false, texts: new Map() });
        from.resume();
      },
      data(from, data) {
        const line = lines.get(from);
        if (line === undefined) throw new Error("data came before the line was open");
        line.to.write(data);
        line.rest = Buffer.concat([line.rest, data]);
        for (;;) {
          const head = line.begun ? 1 : 0;
          if (line.rest.length < head + 4) return;
          const length = head + line.rest.readUInt32BE(head);
          if (line.rest.length < length) return;
          if (line.begun) note(line, line.rest[0] ?? 0, line.rest.subarray(5, length));
          line.begun = true;
          line.rest = line.rest.subarray(length);
        }
      },
      close: (from) => void lines.get(from)?.to.end(),
    },
  });
  const own = new URL(url);
  own.port = String(server.port);
  return {
    url: own.href,
    /** What has gone by since this was called last. */
    take(): Asked {
      const taken = { ...count };
      Object.assign(count, { statements: 0, control: 0, trips: 0 });
      return taken;
    },
    close: () => server.stop(true),
  };
}
