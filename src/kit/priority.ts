// How this process shares the machine.
import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Lets every other process go first, with all threads of this one. Where that cannot be had, nothing changes. */
export function giveWay(): void {
  for (const thread of threads()) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // It has ended, or the system does not let us: then the work is done all the same.
    }
  }
}

/** On Linux a priority is that of a thread; those begun later have that of the one that begins them. */
function threads(): number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [0];
  }
}
