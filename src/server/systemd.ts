// Notifies the service manager (systemd) that the server is ready, alive, reloading or stopping.
import type { Supervision } from "../core/config.ts";
import type { Environment } from "../core/environment.ts";
import type { Log } from "../core/log.ts";
import type { Notify } from "./notify_socket.ts";

/** Resolves with the environments that refuse writes, once all storage has responded. */
type StorageProbe = () => Promise<readonly Environment[]>;

interface Supervisor {
  /**
   * Reports that the server accepts requests, and from then on, at the manager's watchdog interval, that it is alive.
   * It is alive as long as its storage responds, even with a refusal: a process recovers by itself once a full disk
   * has space or PostgreSQL is back. When the storage hangs nothing is reported, and the manager restarts the process.
   */
  readonly serves: (url: string, probe: StorageProbe) => void;
  /** Reports a reload while `work` runs. */
  readonly reloads: (work: () => void) => void;
  /** Reports that the server is stopping. */
  readonly stops: () => void;
}

const unsupervised: Supervisor = { serves: () => {}, reloads: (work) => work(), stops: () => {} };

// Several messages per interval, so that one late or lost message does no harm.
const messages_per_interval = 4;

/**
 * Opens the manager's socket. Without supervision (null) the functions notify nobody. A socket that cannot be used is
 * logged.
 */
export async function openSupervisor(supervision: Supervision | null, log: Log): Promise<Supervisor> {
  if (supervision === null) return unsupervised;
  const { openNotify } = await import("./notify_socket.ts");
  const socket = openNotify(supervision.socket);
  if (socket === null) {
    log.warn("NOTIFY_SOCKET is set, but cannot be used: the service manager is not notified");
    return unsupervised;
  }
  const { notify, monotonicUs } = socket;
  let timer: Timer | undefined;
  let status = "";
  return {
    serves: (url, probe) => {
      status = `accepts requests at ${url}`;
      if (!notify(["READY=1", `STATUS=${status}`]))
        log.warn("the service manager could not be notified that the service is ready");
      const { watchdog_ms } = supervision;
      if (watchdog_ms !== null) timer = startHeartbeat(watchdog_ms, status, probe, notify);
    },
    reloads: (work) => {
      // Before it serves there is nothing to reload, and READY would be wrong.
      if (status === "") return;
      notify(["RELOADING=1", `MONOTONIC_USEC=${monotonicUs()}`]);
      work();
      notify(["READY=1", `STATUS=${status}`]);
    },
    stops: () => {
      clearInterval(timer);
      notify(["STOPPING=1", "STATUS=shutting down"]);
    },
  };
}

/** Probes the storage periodically, and reports that the server is alive whenever all of it has responded. */
function startHeartbeat(watchdog_ms: number, status: string, probe: StorageProbe, notify: Notify): Timer {
  let is_probing = false;
  const reportAlive = (failing: readonly Environment[]) => {
    const problem = failing.length === 0 ? "" : `; writes are refused: ${failing.join(", ")}`;
    notify(["WATCHDOG=1", `STATUS=${status}${problem}`]);
  };
  const beat = () => {
    if (is_probing) return;
    is_probing = true;
    // A probe that itself fails shows nothing, so nothing is reported.
    const finished = () => {
      is_probing = false;
    };
    probe().then(reportAlive).then(finished, finished);
  };
  beat();
  return setInterval(beat, watchdog_ms / messages_per_interval);
}
