import { startPostgres } from "../postgres.ts";

/**
 * One kind of fault. `run` prints its figures and returns how many checks failed. It stands alone because every script
 * imports it.
 */
export interface FaultScript {
  readonly description: string;
  /** What the machine lacks for it, such as a program or a permission; null if it can run. */
  lacks(): Promise<string | null>;
  /** `count` is how often it tries, where that can be chosen. */
  run(count?: number): Promise<number>;
}

/**
 * Runs checks on SQLite, then on a disposable PostgreSQL server, whose address they receive. Returns how many failed.
 */
export async function onBothEngines(
  check: (engine: string, server_url: string | null) => Promise<number>,
): Promise<number> {
  const failed = await check("SQLite", null);
  const server = await startPostgres();
  return failed + (await check("PostgreSQL", server.url).finally(() => server.stop()));
}
