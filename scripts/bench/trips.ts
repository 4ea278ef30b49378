// Counts what a service sends to PostgreSQL: a proxy that passes everything on, and records how many statements went in
// how many round trips.
import type { Socket } from "bun";

/** What has passed since counting began. */
export interface Asked {
  /** Statements that read or change rows. */
  readonly statements: number;
  /** Begin, commit, savepoints and the time. */
  readonly control: number;
  /** Round trips: how often something was sent to the server and its reply awaited. */
  readonly trips: number;
  /** How long (ms) each transaction that locked rows waited for the first lock. */
  readonly waited_ms: readonly number[];
  /** How long (ms) each held its locks, until its commit was acknowledged. */
  readonly held_ms: readonly number[];
}

interface Line {
  readonly to: Socket<unknown>;
  /** The rest of a message that has not fully arrived. */
  rest: Buffer;
  /** Whether the first message, which has no type, has passed. */
  begun: boolean;
  readonly texts: Map<string, string>;
  /** When it requested its first locks, until they are granted, and when they were. */
  asked_at: number | null;
  locked_at: number | null;
  /** Whether the end of its transaction has been requested. */
  ends: boolean;
}

const messages = { parse: 0x50, bind: 0x42, sync: 0x53, query: 0x51 } as const;
// The locks of acts only: jobs skip locked rows.
const isLocking = (text: string) => text.endsWith("for no key update");
const isEnd = (text: string) => /^(commit|rollback)$/.test(text);
const isControl = (text: string) => /^(begin|commit|rollback|savepoint|release|set|select \(?extract)/i.test(text);

/** Counts what passes on all connections. */
class Count {
  #taken = nothing();

  /** What has passed since the last call. */
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

  /** Handles data from the database. */
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

/** Opens a proxy in front of a database that counts what goes to it. */
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
        if (line === undefined) throw new Error("data arrived before the connection was open");
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
