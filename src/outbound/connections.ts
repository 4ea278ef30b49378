// The connections of one caller. Idle ones are kept for a while for the next request to the same peer.
import { HttpConnection, type Peer } from "./connection.ts";
import type { TalkOver } from "./talk.ts";

const idle_ms = 15_000;
const kept_of_a_peer_max = 64;
const kept_max = 512;

interface Kept {
  readonly connection: HttpConnection;
  readonly since: number;
}

/** Every connection of one caller. */
export class Connections {
  readonly #talkOver: TalkOver;
  readonly #open = new Set<HttpConnection>();
  /** By peer, the last kept one last. */
  readonly #kept = new Map<string, Kept[]>();
  #kept_count = 0;
  #tidying: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  constructor(talkOver: TalkOver) {
    this.#talkOver = talkOver;
  }

  /** A kept connection to a peer, or null. The caller has it to itself until it is kept again. */
  take(peer: Peer): HttpConnection | null {
    const kept = this.#kept.get(nameOf(peer));
    for (let last = kept?.pop(); last !== undefined; last = kept?.pop()) {
      this.#kept_count -= 1;
      if (usable(last)) return last.connection;
      last.connection.close();
    }
    return null;
  }

  /** A new connection to a peer. Throws once all are closed. */
  dial(peer: Peer): HttpConnection {
    if (this.#closed) throw new Error("The caller was closed.");
    const connection = new HttpConnection(peer, this.#talkOver, () => this.#open.delete(connection));
    this.#open.add(connection);
    return connection;
  }

  /** Keeps a connection for the next request to its peer if it is idle and there is room; otherwise closes it. */
  keep(peer: Peer, connection: HttpConnection): void {
    const name = nameOf(peer);
    const kept = this.#kept.get(name) ?? [];
    if (!connection.idle || kept.length >= kept_of_a_peer_max || this.#kept_count >= kept_max) {
      connection.close();
      return;
    }
    kept.push({ connection, since: performance.now() });
    this.#kept.set(name, kept);
    this.#kept_count += 1;
    this.#tidying ??= setInterval(() => this.#tidy(), idle_ms).unref();
  }

  /** Closes every connection and opens no more; requests in progress are lost. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#open) connection.close();
    this.#tidy();
  }

  /** Closes connections that were idle for long, and removes those that the peer closed. */
  #tidy(): void {
    this.#kept_count = 0;
    for (const [name, all] of this.#kept) {
      const left = all.filter(usable);
      for (const one of all) if (!left.includes(one)) one.connection.close();
      if (left.length === 0) this.#kept.delete(name);
      else this.#kept.set(name, left);
      this.#kept_count += left.length;
    }
    if (this.#kept_count > 0) return;
    clearInterval(this.#tidying);
    this.#tidying = undefined;
  }
}

const nameOf = ({ secure, hostname, address, port }: Peer): string => `${secure} ${hostname} ${address} ${port}`;

const usable = ({ connection, since }: Kept): boolean => connection.idle && performance.now() - since < idle_ms;
