// What a service manager is notified of: by a server in its own process, and by a supervisor with a simulated storage
// probe.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultProgram, startService } from "../../scripts/service.ts";
import type { Environment } from "../../src/core/environment.ts";
import { silentLog } from "../../src/core/log.ts";
import { openSupervisor } from "../../src/server/systemd.ts";
import { listenAsManager } from "./notify_socket_listener.ts";

setDefaultTimeout(60_000);

const isLinux = process.platform === "linux";
if (!isLinux) console.log("SKIPPED supervisor: only Linux has such service managers");

const folder = mkdtempSync(join(tmpdir(), "packhouse-supervisor-"));
const ends: (() => void | Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
});

async function managerAt(address: string) {
  const manager = await listenAsManager(address);
  ends.push(manager.end);
  return manager;
}

/** `packhouse health` as a container runs it: with the variables of `serve`. */
async function asked(env: Record<string, string>, ...words: string[]) {
  const child = Bun.spawn([...defaultProgram, "health", ...words], { env, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out, err };
}

describe.skipIf(!isLinux)("works", () => {
  test("a server notifies that it is ready, alive, reloading and stopping", async () => {
    const socket = join(folder, "notify");
    const manager = await managerAt(socket);
    const service = await startService({ env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "400000" } });
    ends.push(service.remove);
    const status = `STATUS=accepts requests at ${service.url}`;
    expect(await manager.next()).toEqual(["READY=1", status]);
    expect(await manager.next()).toEqual(["WATCHDOG=1", status]);
    expect(await manager.next()).toEqual(["WATCHDOG=1", status]);
    process.kill(service.pid, "SIGHUP");
    const { before } = await manager.until("READY=1");
    expect(before.at(-1)).toEqual(["RELOADING=1", expect.stringMatching(/^MONOTONIC_USEC=[1-9]\d+$/)]);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    const { found } = await manager.until("STOPPING=1");
    expect(found).toEqual(["STOPPING=1", "STATUS=shutting down"]);
  });

  test("an abstract socket is notified too, but gets no keep-alives that another process must send", async () => {
    const socket = `@packhouse-test-${process.pid}`;
    const manager = await managerAt(socket);
    const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "4000", WATCHDOG_PID: "1" };
    const service = await startService({ env });
    ends.push(service.remove);
    expect(await service.stop()).toBe(0);
    const said = await manager.until("STOPPING=1");
    expect(said.before.map(([first]) => first)).toEqual(["READY=1"]);
  });

  test("a server sends keep-alives while its storage responds, even with refusals, not while it hangs", async () => {
    const socket = join(folder, "looks");
    const manager = await managerAt(socket);
    const supervisor = await openSupervisor({ socket, watchdog_ms: 40 }, silentLog);
    const [answers, hangs] = [Promise.withResolvers<readonly Environment[]>(), Promise.withResolvers<void>()];
    let looks = 0;
    const look = async () => {
      looks += 1;
      if (looks === 1) return ["live"] as const;
      hangs.resolve();
      return answers.promise;
    };
    supervisor.serves("http://127.0.0.1:1", look);
    const status = "STATUS=accepts requests at http://127.0.0.1:1";
    expect(await manager.next()).toEqual(["READY=1", status]);
    expect(await manager.next()).toEqual(["WATCHDOG=1", `${status}; writes are refused: live`]);
    await hangs.promise;
    // Many times the interval of the keep-alives.
    for (let times = 0; times < 20; times += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    supervisor.reloads(() => {});
    expect([(await manager.next())[0], (await manager.next())[0], looks]).toEqual(["RELOADING=1", "READY=1", 2]);
    answers.resolve([]);
    expect(await manager.next()).toEqual(["WATCHDOG=1", status]);
    supervisor.stops();
    expect((await manager.until("STOPPING=1")).found[0]).toBe("STOPPING=1");
  });

  test("the exit code of packhouse health reports the state of the server on this machine", async () => {
    const service = await startService({ env: { PACKHOUSE_HOST: "0.0.0.0", PACKHOUSE_TLS: "self" } });
    ends.push(service.remove);
    const { port } = new URL(service.url);
    const env = { PACKHOUSE_HOST: "0.0.0.0", PACKHOUSE_TLS: "self", PACKHOUSE_PORT: port };
    expect(await asked(env)).toEqual({ code: 0, out: `ok at https://127.0.0.1:${port}\n`, err: "" });
    const json = await asked(env, "--json");
    expect([json.code, JSON.parse(json.out)]).toEqual([0, expect.objectContaining({ status: "ok" })]);
    expect(await service.stop()).toBe(0);
    const gone = { code: 1, out: `no response from https://127.0.0.1:${port} within 1 s\n`, err: "" };
    expect(await asked(env, "--timeout-seconds", "1")).toEqual(gone);
  });
});

describe("refuses", () => {
  test("packhouse health accepts no other server in place of this one, and no invalid port or timeout", async () => {
    const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response('{"status":"ok"}') });
    ends.push(() => other.stop(true));
    const words = ["--port", String(other.port)];
    const said = `the server at http://127.0.0.1:${other.port} is not Packhouse (status 200)\n`;
    expect(await asked({}, ...words)).toEqual({ code: 1, out: said, err: "" });
    for (const wrong of [
      ["--port", "0"],
      ["--port", "x"],
      [...words, "--timeout-seconds", "61"],
    ])
      expect(await asked({}, ...wrong)).toMatchObject({ code: 2, out: "" });
  });

  test.skipIf(!isLinux)("a server without a usable socket still serves, and logs a warning", async () => {
    const log = join(folder, "log");
    const service = await startService({ env: { NOTIFY_SOCKET: "vsock:2:1", WATCHDOG_USEC: "4000" }, log });
    ends.push(service.remove);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(await Bun.file(log).text()).toContain("NOTIFY_SOCKET is set, but cannot be used");
  });
});
