// What the system lets a process have.
import { readFileSync } from "node:fs";
import { freemem, totalmem } from "node:os";
import { openFilesLimit } from "../kit/open_files.ts";
import { inWords } from "./disk.ts";
import { type Finding, ok, warning } from "./finding.ts";

const files_min = 4096;
const memory_bytes_min = 512 << 20;

/** Memory and open files, as they are for this process: a service manager may have other limits. */
export async function lookAtLimits(): Promise<Finding[]> {
  const files = openFilesLimit();
  const found: Finding[] = [];
  if (files !== null) {
    const said = `a process may have ${files} files and connections open`;
    const advice = "Raise it, such as by LimitNOFILE=65536 of systemd: each client and each receiver takes one.";
    found.push(files < files_min ? warning("open files", said, advice) : ok("open files", said));
  }
  const capped = memoryCap();
  const memory = Math.min(totalmem(), capped ?? Number.POSITIVE_INFINITY);
  const said = `${inWords(memory)} of memory${capped === null ? `, ${inWords(freemem())} free` : " may be used"}`;
  const advice = "Give it 512 MiB at least: a full process is ended by the system in the middle of its work.";
  found.push(memory < memory_bytes_min ? warning("memory", said, advice) : ok("memory", said));
  return found;
}

/** What a control group lets its processes use; null where there is no limit. */
function memoryCap(): number | null {
  for (const path of ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]) {
    try {
      const bytes = Number(readFileSync(path, "utf8").trim());
      if (bytes > 0 && bytes < totalmem()) return bytes;
    } catch {
      // Another kind of control groups, or none.
    }
  }
  return null;
}
