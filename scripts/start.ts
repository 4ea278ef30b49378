// `bun run start [flags of serve]`: installs the packages that serving needs, unless they are there, then serves.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { install, root } from "./install.ts";
import { ensureWeb } from "./web.ts";

try {
  await install("serving");
  await ensureWeb();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

const service = Bun.spawn([process.execPath, join(root, "src/main.ts"), "serve", ...process.argv.slice(2)], {
  stdio: ["inherit", "inherit", "inherit"],
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // A terminal sends Ctrl-C to the service as well. It must receive it once only.
    if (signal !== "SIGINT" || !process.stdin.isTTY) service.kill(signal);
  });
}
if (process.env["npm_config_user_agent"]?.startsWith("npm/") && process.platform === "linux") {
  // An `npx` that is terminated leaves its child running, so the service is terminated when `npx` is gone.
  const runner = parentOf(process.ppid);
  setInterval(() => parentOf(process.ppid) !== runner && service.kill("SIGTERM"), 500).unref();
}
process.exit(await service.exited);

function parentOf(process_id: number): string | undefined {
  try {
    return /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${process_id}/status`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}
