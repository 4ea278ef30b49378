// Statements that are removed from the SQL of a dump.
import { expect, test } from "bun:test";
import { forOlderServers } from "../../../src/storage/postgres/postgres_programs.ts";

const settings = "SET lock_timeout = 0;\nSET transaction_timeout = 0;\nSET client_encoding = 'UTF8';\n";
const kept = "SET lock_timeout = 0;\nSET client_encoding = 'UTF8';\n";

async function through(text: string, piece_bytes: number): Promise<string> {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += piece_bytes) pieces.push(bytes.subarray(at, at + piece_bytes));
  return new Response(new Blob(pieces).stream().pipeThrough(forOlderServers())).text();
}

test("only a setting unknown to older servers is removed, wherever the chunks end", async () => {
  // A row may contain the same text.
  const rows = `COPY t FROM stdin;\nSET transaction_timeout = 0;\n${"ü€ ".repeat(5000)}\n\\.\n`;
  for (const piece_bytes of [1, 40, 4096, 1_000_000]) {
    expect(await through(settings + "-".repeat(4096) + rows, piece_bytes)).toBe(kept + "-".repeat(4096) + rows);
  }
  expect(await through(settings, 7)).toBe(kept);
  expect(await through("", 7)).toBe("");
});
