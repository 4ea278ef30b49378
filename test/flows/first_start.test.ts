// Several servers that begin at once on an empty database.
import { expect, setDefaultTimeout, test } from "bun:test";
import { startService } from "../../scripts/service.ts";
import { engine } from "../../src/config.ts";
import { freshDatabase } from "./service.ts";

setDefaultTimeout(60_000);

test.if(engine === "postgres")(
  "one of the servers that begin together makes the first keys, and prints them",
  async () => {
    const database_url = await freshDatabase();
    const servers = await Promise.all([1, 2, 3].map(() => startService({ database_url })));
    try {
      const all = servers.map(({ said }) => said).join("\n");
      const count = (words: RegExp) => [...all.matchAll(words)].length;
      expect(count(/First API keys/g)).toBe(1);
      expect([count(/^ {2}live {2}\S+/gm), count(/^ {2}test {2}\S+/gm)]).toEqual([1, 1]);
    } finally {
      for (const server of servers) await server.remove();
    }
  },
);
