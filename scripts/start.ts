// `bun run start [flags of serve]`: installs the packages when they are missing or out of date, then serves.
import { join } from "node:path";
import { install, root } from "./install.ts";

try {
  await install();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

const service = Bun.spawn([process.execPath, join(root, "src/main.ts"), "serve", ...process.argv.slice(2)], {
  stdio: ["inherit", "inherit", "inherit"],
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // A terminal sends Ctrl-C to the service as well: it shall come once.
    if (signal !== "SIGINT" || !process.stdin.isTTY) service.kill(signal);
  });
}
process.exit(await service.exited);
