// Talks to a port byte by byte, as no well-behaved client would.
import { createConnection, type Socket } from "node:net";

/** What came of a connection: all that was answered, and whether the server ended it. */
interface Spoken {
  readonly text: string;
  /** The status of each answer on the connection, in order. */
  readonly statuses: readonly number[];
  readonly ended: boolean;
}

/** A connection that stays open until it is let go, and what has come over it so far. */
export interface Connection {
  readonly socket: Socket;
  readonly heard: () => Spoken;
  /** Resolves when the server ends the connection, with the milliseconds that it had been open. */
  readonly end: Promise<number>;
}

/** Connects to a service and sends the first bytes. */
export function connect(url: string, bytes: string | Uint8Array): Connection {
  const { hostname, port } = new URL(url);
  const begun = performance.now();
  const { promise: end, resolve } = Promise.withResolvers<number>();
  let text = "";
  let ended = false;
  const socket = createConnection(Number(port), hostname);
  socket.write(bytes);
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  // A connection that is broken off is one that is ended.
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    ended = true;
    resolve(performance.now() - begun);
  });
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { socket, end, heard: () => ({ text, statuses: statuses().filter((status) => status !== 100), ended }) };
}

/** Sends bytes, and listens until the server ends the connection or so many answers have come and no more follow. */
export async function speak(url: string, bytes: string | Uint8Array, answers: number): Promise<Spoken> {
  const connection = connect(url, bytes);
  for (let waited_ms = 0; waited_ms < 5000; waited_ms += 20) {
    const { ended, statuses } = connection.heard();
    if (ended || statuses.length > answers) break;
    if (statuses.length === answers && answers > 0) {
      // A smuggled request would be answered right after.
      await Bun.sleep(100);
      break;
    }
    await Bun.sleep(20);
  }
  const heard = connection.heard();
  connection.socket.destroy();
  return heard;
}
