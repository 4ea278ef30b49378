// Talks to a port byte by byte, as no well-behaved client would.
import { createConnection, type Socket } from "node:net";

/** The result of a connection: everything received, and whether the server closed it. */
interface Spoken {
  readonly text: string;
  /** The status of each response on the connection, in order. */
  readonly statuses: readonly number[];
  readonly ended: boolean;
}

/** A connection that stays open until it is destroyed, and what it has received so far. */
export interface Connection {
  readonly socket: Socket;
  readonly heard: () => Spoken;
  /** Resolves when the server closes the connection, with the time (ms) that it was open. */
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
  // A reset connection counts as closed.
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    ended = true;
    resolve(performance.now() - begun);
  });
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { socket, end, heard: () => ({ text, statuses: statuses().filter((status) => status !== 100), ended }) };
}

/** Sends bytes, and reads until the server closes the connection, or sends `answers` responses and then no more. */
export async function speak(url: string, bytes: string | Uint8Array, answers: number): Promise<Spoken> {
  const connection = connect(url, bytes);
  for (let waited_ms = 0; waited_ms < 5000; waited_ms += 20) {
    const { ended, statuses } = connection.heard();
    if (ended || statuses.length > answers) break;
    if (statuses.length === answers && answers > 0) {
      // The response to a smuggled request would come right after.
      await Bun.sleep(100);
      break;
    }
    await Bun.sleep(20);
  }
  const heard = connection.heard();
  connection.socket.destroy();
  return heard;
}
