// What the service manager that started a server is told of it: when it serves, that it lives, that it ends. Where none
// asks to be told, nothing is said.
import type { Supervision } from "../core/config.ts";
import type { Environment } from "../core/environment.ts";
import type { Log } from "../core/log.ts";
import type { Notify } from "./notify_socket.ts";

/** What refuses writes at the moment, once all storage has answered; nothing when all is well. */
type StorageProbe = () => Promise<readonly Environment[]>;

interface Supervisor {
  /**
   * Says that the server accepts requests, and from then on, as often as the manager wants it, that it lives. It lives
   * as long as its storage answers, be it by a refusal: a full disk, or PostgreSQL that is away, is no reason to end a
   * process that goes on by itself once there is room. What hangs says nothing, and the manager starts it anew.
   */
  readonly serves: (url: string, look: StorageProbe) => void;
  /** Says that what a server reads while it runs is read again. */
  readonly reloads: (work: () => void) => void;
  /** Says that the server ends. */
  readonly stops: () => void;
}

const nobody: Supervisor = { serves: () => {}, reloads: (work) => work(), stops: () => {} };

// One that comes late, or is lost, does no harm yet.
const signs_in_time = 4;

/** Opens the way to the manager; `null` where none asks. A socket that cannot be used is told in the log. */
export async function openSupervisor(asked: Supervision | null, log: Log): Promise<Supervisor> {
  if (asked === null) return nobody;
  const { openNotify } = await import("./notify_socket.ts");
  const way = openNotify(asked.socket);
  if (way === null) {
    log.warn("NOTIFY_SOCKET is set, but cannot be used: the service manager is told nothing");
    return nobody;
  }
  const { notify, monotonicUs } = way;
  let timer: Timer | undefined;
  let status = "";
  return {
    serves: (url, look) => {
      status = `accepts requests at ${url}`;
      if (!notify(["READY=1", `STATUS=${status}`]))
        log.warn("the service manager was not told that the service is ready");
      if (asked.watchdog_ms !== null) timer = keepSaying(asked.watchdog_ms, status, look, notify);
    },
    reloads: (work) => {
      // Before it serves there is nothing to read again, and nothing is ready.
      if (status === "") return;
      notify(["RELOADING=1", `MONOTONIC_USEC=${monotonicUs()}`]);
      work();
      notify(["READY=1", `STATUS=${status}`]);
    },
    stops: () => {
      clearInterval(timer);
      notify(["STOPPING=1", "STATUS=ends what is under way"]);
    },
  };
}

/** Looks at the storage again and again, and says that the server lives whenever all of it has answered. */
function keepSaying(watchdog_ms: number, status: string, look: StorageProbe, notify: Notify): Timer {
  let looking = false;
  const lives = (failing: readonly Environment[]) => {
    const trouble = failing.length === 0 ? "" : `; writes are refused: ${failing.join(", ")}`;
    notify(["WATCHDOG=1", `STATUS=${status}${trouble}`]);
  };
  const once = () => {
    if (looking) return;
    looking = true;
    // A look that fails as such has seen nothing, so nothing is said.
    const seen = () => {
      looking = false;
    };
    look().then(lives).then(seen, seen);
  };
  once();
  return setInterval(once, watchdog_ms / signs_in_time);
}
