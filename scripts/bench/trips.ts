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
  /** How long (ms) each transaction that locked rows waited for the first of them. */
  readonly waited_ms: readonly number[];
  /** How long (ms) each held them, until its end was answered. */
  readonly held_ms: readonly number[];
}

interface Line {
  readonly to: Socket<unknown>;
  /** What is left of a message that has not come whole. */
  rest: Buffer;
  /** Whether the first message, which has no kind, has gone by. */
  begun: boolean;
  readonly texts: Map<string, string>;
  /** When it asked for its first locks, until they are answered, and when they were. */
  asked_at: number | null;
  locked_at: number | null;
  /** Whether the end of its transaction has been asked for. */
  ends: boolean;
}

const messages = { parse: 0x50, bind: 0x42, sync: 0x53, query: 0x51 } as const;
// Of the locks of acts: jobs pass over what is locked.
const isLocking = (text: string) => text.endsWith("for no key update");
const isEnd = (text: string) => /^(commit|rollback)$/.test(text);
const isControl = (text: string) => /^(begin|commit|rollback|savepoint|release|set|select \(?extract)/i.test(text);

/** Counts what goes by on all lines. */
class Count {
  #taken = nothing();

  /** What has gone by since this was called last. */
  take(): Asked {
    const taken = this.#taken;
    this.#taken = nothing();
    return taken;
  }

  /** A message from the service. */
  sent(line: Line, kind: number, body: Buffer): void {
    const [first = "", second = ""] = body.toString("latin1").split("\0", 2);
    if (kind === messages.parse) line.texts.set(first, second);
    else if (kind === messages.bind) this.#ran(line, line.texts.get(second) ?? "");
    else if (kind === messages.sync) this.#taken.trips += 1;
    else if (kind === messages.query) {
      this.#taken.trips += 1;
      this.#ran(line, first);
    }
  }

  /** Something came back from the database. */
  answered(line: Line): void {
    const now = performance.now();
    if (line.asked_at !== null) {
      this.#taken.waited_ms.push(now - line.asked_at);
      line.locked_at = now;
      line.asked_at = null;
    }
    if (!line.ends) return;
    if (line.locked_at !== null) this.#taken.held_ms.push(now - line.locked_at);
    line.locked_at = null;
    line.ends = false;
  }

  #ran(line: Line, text: string): void {
    this.#taken[isControl(text) ? "control" : "statements"] += 1;
    if (isLocking(text) && line.locked_at === null) line.asked_at ??= performance.now();
    if (isEnd(text)) line.ends = true;
  }
}

const nothing = () => ({ statements: 0, control: 0, trips: 0, waited_ms: [] as number[], held_ms: [] as number[] });

/** Opens an address before a database's that counts what goes to it. */
export async function countingAddress(url: string) {
  const target = new URL(url);
  const count = new Count();
  const lines = new WeakMap<Socket<unknown>, Line>();
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
            data: (_, data) => {
              const line = lines.get(from);
              if (line !== undefined) count.answered(line);
              from.write(data);
            },
            close: () => void from.end(),
          },
        });
        const locks = { asked_at: null, locked_at: null, ends: false };
        lines.set(from, { to, rest: Buffer.alloc(0), begun: false, texts: new Map(), ...locks });
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
          if (line.begun) count.sent(line, line.rest[0] ?? 0, line.rest.subarray(5, length));
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
    take: () => count.take(),
    close: () => server.stop(true),
  };
}
