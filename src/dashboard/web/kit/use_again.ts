import { useEffect, useRef } from "preact/hooks";

/** Reads again whenever what it belongs to has another version, as when an order is shipped its parcels. */
export function useAgain(version: number, ...reloads: readonly (() => Promise<void>)[]): void {
  const known = useRef(version);
  useEffect(() => {
    if (known.current === version) return;
    known.current = version;
    for (const reload of reloads) void reload();
  }, [version]);
}
