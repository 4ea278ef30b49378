// Other processes of this machine.

/** Whether a process of this number is there. One that is this process itself is not another. */
export function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and not ours.
    return (error as { code?: string }).code === "EPERM";
  }
}
