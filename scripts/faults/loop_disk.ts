// An ext4 disk in a file, mounted through a loop device, whose power can be cut. Whatever was not synced is then lost.
import { dlopen, FFIType, ptr } from "bun:ffi";
import { closeSync, mkdirSync, openSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** FS_IOC_SHUTDOWN, and its flag to discard the journal. */
const shutdown_request = 0x8004587d;
const without_log = 2;

export interface LoopDisk {
  /** Where the disk is mounted. */
  readonly path: string;
  /** Flushes everything written so far. */
  sync(): void;
  /** Cuts the power: nothing more is written, and only synced data is certain to be there after `restore`. */
  cut(): void;
  /** Switches it on again. No file of it may be open. */
  restore(): void;
  /** Empties it. */
  format(): void;
  remove(): void;
}

/** Creates a disk of that many MiB in a folder and mounts it. */
export function loopDisk(folder: string, size_mib: number): LoopDisk {
  const image = join(folder, "disk.img");
  const path = join(folder, "disk");
  mkdirSync(path, { recursive: true });
  const mount = () => run("mount", "-o", "loop", image, path);
  const unmount = () => run("umount", path);
  const make = () => {
    writeFileSync(image, "");
    truncateSync(image, size_mib * 1024 * 1024);
    run("mkfs.ext4", "-q", "-F", image);
    mount();
  };
  const remove = () => {
    process.off("exit", remove);
    Bun.spawnSync(["umount", "-l", path]);
    rmSync(image, { force: true });
  };
  make();
  process.once("exit", remove);
  return {
    path,
    sync: () => run("sync", "-f", path),
    cut: () => shutDown(path),
    restore: () => {
      unmount();
      mount();
    },
    format: () => {
      unmount();
      make();
    },
    remove,
  };
}

/** Why disks cannot be created and cut here, tried in a folder; null if they can. */
export function lacksLoopDisks(folder: string): string | null {
  if (process.platform !== "linux") return "power can be cut on Linux only";
  if (process.getuid?.() !== 0) return "mounting a disk takes root";
  try {
    const disk = loopDisk(folder, 8);
    try {
      disk.cut();
      disk.restore();
    } finally {
      disk.remove();
    }
    return null;
  } catch (error) {
    return `no disk can be created on a loop device (${error instanceof Error ? error.message : error})`;
  }
}

function run(...words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(words);
  if (exitCode !== 0) throw new Error(`${words[0]}: ${stderr.toString().trim() || `exit code ${exitCode}`}`);
}

function shutDown(path: string): void {
  const { symbols } = dlopen("libc.so.6", {
    ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 },
  });
  const file = openSync(path, "r");
  const answer = symbols.ioctl(file, shutdown_request, ptr(new Uint32Array([without_log])));
  closeSync(file);
  if (answer !== 0) throw new Error("the file system refused to be shut down");
}
