// A crowd of clients in a thread of its own, so that measurements do not include the cost of the crowd.
import net from "node:net";

/** The request that the crowd sends, and how many clients never read the response. */
export interface CrowdWish {
  readonly url: string;
  readonly key: string;
  readonly path: string;
  readonly readers: number;
  readonly unread: number;
}

/** The result of one request: its status, or why it has none. */
export interface Outcome {
  readonly status: string;
  readonly ms: number;
  readonly bytes: number;
}

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<CrowdWish>) => {
  const { readers, unread } = data;
  const sockets = Array.from({ length: unread }, () => leaveUnread(data));
  const outcomes = await Promise.all(Array.from({ length: readers }, () => read(data)));
  for (const socket of sockets) socket.destroy();
  self.postMessage(outcomes);
};

/** Reads a response to its end. */
export async function read({ url, key, path }: Pick<CrowdWish, "url" | "key" | "path">): Promise<Outcome> {
  const began = performance.now();
  let [status, bytes] = ["no answer", 0];
  try {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    status = "broken off";
    for await (const piece of response.body ?? []) bytes += piece.length;
    status = String(response.status);
  } catch {
    // The service was killed, or closed the connection.
  }
  return { status, bytes, ms: performance.now() - began };
}

/** Sends a request and reads nothing of the response. */
function leaveUnread({ url, key, path }: CrowdWish): net.Socket {
  const { port, hostname } = new URL(url);
  const socket = net.connect(Number(port), hostname).pause();
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}
