// A client of the stream of hints that behaves as a browser does.
import net from "node:net";
import type { Hint } from "../../../src/dashboard/server/hint.ts";

/** What came over a stream: its event, the id that a browser would keep, and the data. */
export interface Told {
  readonly event: string;
  readonly id: string;
  readonly data: Partial<Hint>;
}

/** The bytes in the whole chunks of an answer that comes in chunks, and what is left. */
function unchunked(text: string): { readonly whole: string; readonly rest: string } {
  let [whole, rest] = ["", text];
  for (;;) {
    const line = rest.indexOf("\r\n");
    const size = line < 0 ? Number.NaN : Number.parseInt(rest.slice(0, line), 16);
    if (Number.isNaN(size) || rest.length < line + 2 + size + 2) return { whole, rest };
    whole += rest.slice(line + 2, line + 2 + size);
    rest = rest.slice(line + 2 + size + 2);
  }
}

/** What one block of a stream tells; nothing when it only keeps the connection open. */
function toldIn(block: string): Told[] {
  const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/:(.*)/s, 2)));
  const value = (name: string) => (fields[name] ?? "").trimStart();
  if (!("data" in fields) || value("event") === "beat") return [];
  return [{ event: value("event") || "message", id: value("id"), data: JSON.parse(value("data")) }];
}

/** Opens a stream and reads it as it comes. Bun's own client has no more than 256 connections at once. */
export async function listen(url: string, key: string, { mode = "live", last = "" } = {}) {
  const { hostname, port, host } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  const told: Told[] = [];
  let onTold = () => {};
  let ended = false;
  const head = Promise.withResolvers<string>();
  const reading = new Promise<void>((resolve) => {
    socket.on("close", () => {
      ended = true;
      head.resolve("");
      resolve();
      onTold();
    });
  });
  socket.on("error", () => {});
  let [text, body, has_head] = ["", "", false];
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
    const at = has_head ? -1 : text.indexOf("\r\n\r\n");
    if (at >= 0) {
      has_head = true;
      head.resolve(text.slice(0, at));
      text = text.slice(at + 4);
    }
    if (!has_head) return;
    const { whole, rest } = unchunked(text);
    text = rest;
    const blocks = (body + whole).split("\n\n");
    body = blocks.pop() ?? "";
    told.push(...blocks.flatMap(toldIn));
    onTold();
  });
  const lines = [
    `GET /dashboard/api/events?mode=${mode} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${key}`,
    ...(last === "" ? [] : [`Last-Event-ID: ${last}`]),
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const [first = "", ...headers] = (await head.promise).split("\r\n");
  const status = Number(first.split(" ")[1]);
  /** Waits for what was told to hold. */
  const until = async (holds: (told: readonly Told[]) => boolean, limit_ms = 10_000): Promise<readonly Told[]> => {
    const late = performance.now() + limit_ms;
    while (!holds(told)) {
      if (ended || performance.now() > late) throw new Error(`${ended ? "ended" : "late"}: ${JSON.stringify(told)}`);
      await new Promise<void>((resolve) => {
        onTold = resolve;
        setTimeout(resolve, 50);
      });
    }
    return told;
  };
  if (status === 200) await until((all) => all.length > 0);
  else socket.destroy();
  return {
    status,
    headers: new Headers(headers.map((line) => line.split(/: ?(.*)/s, 2) as [string, string])),
    told,
    until,
    /** The last id, as a browser sends it when it comes back. */
    last: () => told.at(-1)?.id ?? "",
    hints: () => told.filter(({ event }) => event === "message").map(({ data }) => data),
    leave: () => socket.destroy(),
    /** Resolves when the server has ended it. */
    ended: reading,
  };
}
export type Listening = Awaited<ReturnType<typeof listen>>;
