// Worker threads. Each is a program of its own, which this process starts by its name.

/** The program of each worker by its path from `src/`. The build puts every one of them into the binary. */
export const workers = {
  check: "storage/sqlite/check_worker.ts",
  follow: "operations/log_archive/follow_worker.ts",
  checkpoint: "storage/sqlite/checkpoint_worker.ts",
  press: "documents/render_worker.ts",
} as const;

/** Starts a worker, which runs until it is terminated. A failure to load and an uncaught error are `error` events. */
export function startWorker(name: keyof typeof workers): Worker {
  // In the binary this module is a part of the main program, which lies where `src/` was.
  const root = import.meta.path.endsWith("/core/workers.ts") ? "../" : "./";
  return new Worker(new URL(root + workers[name], import.meta.url).href, { name });
}
