// Another client that asks a service without a pause while it works: how long it has to wait, and for how much work.
import { readFileSync } from "node:fs";

/** The memory of a process, in megabytes. */
const megabytesOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1000;

/** The milliseconds for which the main thread of a process has run. Other programs on the machine do not add to it. */
const busyOf = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ", 1)[0] ?? 0) / 1e6;

/** Asks a service for a short list, again and again, until `stop`, which returns the figures. */
export function startOtherClient({ url, pid }: { readonly url: string; readonly pid: number }, key: string) {
  const figures = { longest_wait_ms: 0, longest_work_ms: 0, megabytes: 0 };
  const began = performance.now();
  const headers = { authorization: `Bearer ${key}` };
  let is_running = true;
  const running = (async () => {
    while (is_running) {
      const [asked, busy] = [performance.now(), busyOf(pid)];
      await (await fetch(`${url}/v1/products?limit=1`, { headers })).text();
      figures.longest_wait_ms = Math.max(figures.longest_wait_ms, performance.now() - asked);
      figures.longest_work_ms = Math.max(figures.longest_work_ms, busyOf(pid) - busy);
      figures.megabytes = Math.max(figures.megabytes, megabytesOf(pid));
    }
  })();
  return {
    /** `longest_work_ms` is the most that the server worked while this client waited for one response. */
    async stop() {
      const seconds = (performance.now() - began) / 1000;
      is_running = false;
      await running;
      const round = (value: number) => Math.round(value * 10) / 10;
      return Object.fromEntries(Object.entries({ seconds, ...figures }).map(([name, value]) => [name, round(value)]));
    },
  };
}
