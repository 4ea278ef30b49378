// Where packages are tried: a copy of this machine that is discarded, and a clean machine that is booted.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program's output, stdout and stderr together, and its exit code. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** A root file system of its own, in which programs run. */
export interface Room {
  /** Runs a program in it to its end. */
  run(...words: string[]): Promise<Ended>;
  /** Starts a program in it, which ends with the room. */
  start(words: readonly string[], env?: Readonly<Record<string, string>>): Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** A folder shared with this machine: its path here, and its path in the room. */
  readonly shared: { readonly here: string; readonly there: string };
  remove(): Promise<void>;
}

/** What this machine lacks for a root of its own; null if one can be created. */
export function lacksForRooms(programs: readonly string[]): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "it needs root on Linux";
  const missing = programs.filter((name) => Bun.which(name) === null);
  return missing.length === 0 ? null : `it needs ${missing.join(", ")}`;
}

/** Runs a program of this machine to its end. */
export async function ended(words: readonly string[]): Promise<Ended> {
  const child = Bun.spawn([...words], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, output: out + err };
}

const joining = (pid: number) => ["nsenter", `--target=${pid}`, "--mount", "--pid"];

function roomAt(pid: number, within: readonly string[], shared: Room["shared"], end: () => Promise<void>): Room {
  const words = (program: readonly string[]) => [...joining(pid), ...within, ...program];
  const started = new Set<Bun.Subprocess>();
  return {
    run: (...program) => ended(words(program)),
    start: (program, env = {}) => {
      const child = Bun.spawn(words(program), {
        env: { PATH: paths, ...env },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      started.add(child);
      return child;
    },
    shared,
    remove: async () => {
      for (const child of started) child.kill("SIGKILL");
      await end();
    },
  };
}

const paths = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// The umask of the caller may differ, and the folders are a machine's.
const overlay = `
umask 022
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mkdir -p "$1/root/mnt"
mount --bind "$2" "$1/root/mnt"
rm -rf "$1/root/run/systemd/system"
echo ready
exec sleep infinity`;

/** A copy of this machine; everything written to it stays in memory. It has no service manager. */
export async function copyOfThisMachine(): Promise<Room> {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-room-"));
  const shared = join(folder, "shared");
  for (const path of [shared, join(folder, "place")]) mkdirSync(path);
  const holder = Bun.spawn(
    [
      "unshare",
      "--mount",
      "--pid",
      "--fork",
      "--kill-child",
      "sh",
      "-euc",
      overlay,
      "sh",
      join(folder, "place"),
      shared,
    ],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  const end = async () => {
    holder.kill("SIGKILL");
    await holder.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const { value } = await holder.stdout.getReader().read();
  if (value === undefined) {
    const problem = await holder.stderr.text();
    await end();
    throw new Error(`No copy of this machine can be created: ${problem}`);
  }
  const root = join(folder, "place", "root");
  const env = ["env", "-i", `PATH=${paths}`, "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive"];
  return roomAt(childOf(holder.pid), ["chroot", root, ...env], { here: shared, there: "/mnt" }, end);
}

/** The process id, on this machine, of a process's child. */
export function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);
}

const booted_within_ms = 120_000;

/** Creates the smallest Debian 12 root that systemd boots from. It takes minutes and 300 MB. */
export async function makeCleanRoot(folder: string): Promise<void> {
  const wanted = "--include=systemd,systemd-sysv,adduser,init-system-helpers,procps,curl,logrotate";
  const made = await ended(["debootstrap", "--variant=minbase", wanted, "bookworm", folder]);
  if (made.code !== 0) throw new Error(`debootstrap ended with ${made.code}: ${made.output.slice(-2000)}`);
}

/** Boots a root with its systemd in a container. What it writes is discarded. */
export async function bootCleanRoot(root: string): Promise<Room> {
  const shared = mkdtempSync(join(tmpdir(), "packhouse-room-"));
  const words = [
    "systemd-nspawn",
    "--quiet",
    "--register=no",
    "--keep-unit",
    "--private-network",
    "--volatile=overlay",
    `--bind=${shared}:/mnt`,
  ];
  const container = Bun.spawn([...words, "--console=passive", "-D", root, "--boot"], {
    // This machine may lack unified control groups.
    env: { ...process.env, ...(isUnified() ? {} : { SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "0" }) },
    ...{ stdin: "ignore", stdout: "ignore", stderr: "inherit" },
  });
  const end = async () => {
    // Its first process takes all others with it; the process that started it does not.
    const leader = container.exitCode === null ? childOf(container.pid) : 0;
    if (leader > 0) process.kill(leader, "SIGKILL");
    container.kill("SIGKILL");
    await container.exited;
    rmSync(shared, { recursive: true, force: true });
  };
  const began = performance.now();
  for (;;) {
    if (performance.now() - began > booted_within_ms || container.exitCode !== null) {
      await end();
      throw new Error("The clean machine did not boot.");
    }
    await Bun.sleep(200);
    const leader = childOf(container.pid);
    if (!(leader > 0) || !existsSync(`/proc/${leader}/root/run/systemd/system`)) continue;
    const room = roomAt(
      leader,
      ["--root", "--wd", "--uts", "--ipc", "--net", "--"],
      { here: shared, there: "/mnt" },
      end,
    );
    if (/^(?:running|degraded)/.test((await room.run("systemctl", "is-system-running")).output)) return room;
  }
}

const isUnified = () => existsSync("/sys/fs/cgroup/cgroup.controllers");
