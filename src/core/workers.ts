// Worker threads, in one list that the build reads too. Each is a separate program, which this process starts by name.

/** The program of each worker by its path from `src/`. The build includes all of them in the binary. */
export const workers = {
  check: "storage/sqlite/check_worker.ts",
  follow: "operations/log_archive/follow_worker.ts",
  checkpoint: "storage/sqlite/checkpoint_worker.ts",
  render: "documents/render_worker.ts",
} as const;

/** Starts a worker, which runs until it is terminated. Load failures and uncaught errors are `error` events. */
export function startWorker(name: keyof typeof workers): Worker {
  // In the binary, this module is part of the main program, which lies where `src/` was.
  const root = import.meta.path.endsWith("/core/workers.ts") ? "../" : "./";
  return new Worker(new URL(root + workers[name], import.meta.url).href, { name });
}
