// The container's root, run as an engine runs it: read-only, as its user, with nothing that the image lacks.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { container_user } from "../../package/container.ts";
import { readUntil } from "../../service.ts";
import type { Look } from "./debian.ts";
import { childOf, ended } from "./rooms.ts";

/** How a Containerfile says its image is run. */
interface Said {
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly words: readonly string[];
  readonly health: readonly string[];
  readonly signal: string;
}

function read(containerfile: string): Said {
  const after = (word: string) => new RegExp(`^${word} (.*)$`, "m").exec(containerfile)?.[1] ?? "";
  const env = after("ENV").split(" ");
  return {
    env: Object.fromEntries(env.map((pair) => pair.split("=") as [string, string])),
    user: after("USER"),
    words: [...JSON.parse(after("ENTRYPOINT")), ...JSON.parse(after("CMD"))] as string[],
    health: JSON.parse(/^HEALTHCHECK .*CMD (.*)$/m.exec(containerfile)?.[1] ?? "[]") as string[],
    signal: after("STOPSIGNAL"),
  };
}

const running = `
root="$1/root" data="$2" user="$3"
shift 3
chown -R "$user" "$data"
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero random urandom; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --bind "$data" "$root/data"
exec setpriv --no-new-privs chroot --userspec="$user" "$root" "$@"`;

/** The life of a container: it serves, responds, is healthy, cannot write its root, and stops on its signal. */
export async function lifeOfContainer(folder: string, port: number): Promise<readonly Look[]> {
  const looks: Look[] = [];
  const see = (what: string, is_so: boolean, found: unknown) => {
    looks.push({ what, instead: is_so ? null : JSON.stringify(found) });
  };
  const spec = read(readFileSync(join(folder, "Containerfile"), "utf8"));
  see("its user has no name on other machines", spec.user === `${container_user}:${container_user}`, spec.user);
  const data = join(folder, "data");
  mkdirSync(data, { recursive: true });
  // As the file says, except that it listens on this machine only.
  const env = { ...spec.env, PACKHOUSE_HOST: "127.0.0.1", PACKHOUSE_PORT: String(port) };
  const words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", running, "sh"];
  const server = Bun.spawn([...words, folder, data, spec.user, ...spec.words], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
  const complaints = server.stderr.text();
  try {
    const text = await readUntil(server.stdout, /accepts requests at .*\n/);
    see("it serves", /accepts requests at/.test(text), text);
    const pid = childOf(server.pid);
    const inside = (program: readonly string[]) => {
      const entering = ["nsenter", `--target=${pid}`, "--mount", "--pid", "env", "-i"];
      const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      return ended([
        ...entering,
        ...pairs,
        "/usr/sbin/chroot",
        `--userspec=${spec.user}`,
        join(folder, "root"),
        ...program,
      ]);
    };
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    see("it is process 1", /^NSpid:\s+\d+\s+1$/m.test(status), status);
    see("it runs as its user", new RegExp(`^Uid:(?:\\s+${container_user}){4}$`, "m").test(status), status);
    const health = await inside(spec.health);
    see("its own health check succeeds", health.code === 0 && /^ok at/.test(health.output), health);
    const key = /ph_live_\w+/.exec(text)?.[0] ?? "";
    const answer = await fetch(`http://127.0.0.1:${port}/v1/products`, {
      ...{ method: "POST", body: JSON.stringify({ sku: "TEA", name: "Green tea" }) },
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    see("it stores what it receives", answer.status === 201, answer.status);
    const openapi = await inside(["/usr/bin/packhouse", "openapi", "--out", "/usr/openapi.json"]);
    see("its root is read-only", openapi.code !== 0 && /EROFS|read-only|Permission/i.test(openapi.output), openapi);
    process.kill(pid, spec.signal as NodeJS.Signals);
    const code = await server.exited;
    see("it stops gracefully on its signal", code === 0, { code, complaints: await complaints });
  } finally {
    server.kill("SIGKILL");
    await server.exited;
  }
  return looks;
}
