// The logrotate rules that operators get: the service continues to write to a truncated file.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startService } from "../../service.ts";
import type { Look } from "./debian.ts";
import { ended } from "./rooms.ts";

const rules = join(import.meta.dir, "../../package/examples/logrotate");

/** Rotates the log of a running service, and checks where its next line goes. */
export async function rotates(folder: string, program: string): Promise<readonly Look[]> {
  const logs = join(folder, "logs");
  const log = join(logs, "packhouse.log");
  mkdirSync(logs, { mode: 0o755 });
  chmodSync(folder, 0o755);
  const own = readFileSync(rules, "utf8")
    .replaceAll("/var/log/packhouse", logs)
    .replace(/^ +su .*$/m, "    su root root");
  const file = join(folder, "logrotate.conf");
  writeFileSync(file, own, { mode: 0o644 });
  const service = await startService({ program: [program], log, env: { PACKHOUSE_LOG_LEVEL: "info" } });
  try {
    const looks: Look[] = [];
    const see = (what: string, is_so: boolean, found: unknown) => {
      looks.push({ what, instead: is_so ? null : JSON.stringify(found) });
    };
    const ask = async () => {
      const before = statSync(log).size;
      await (await fetch(`${service.url}/v1/orders`)).text();
      // Lines are written a moment after the response.
      for (let tries = 0; tries < 100 && statSync(log).size === before; tries += 1) await Bun.sleep(50);
      return statSync(log).size - before;
    };
    see("it logs", (await ask()) > 0, readFileSync(log, "utf8"));
    const done = await ended(["logrotate", "--force", "--state", join(folder, "state"), file]);
    see("it is rotated", done.code === 0 && readdirSync(logs).includes("packhouse.log.1"), done);
    const written = await ask();
    const text = readFileSync(log, "utf8");
    see("the next line goes to the truncated file", written > 0 && /^\{"time"/.test(text), text.slice(0, 200));
    return looks;
  } finally {
    await service.remove();
  }
}
