import { useEffect, useRef } from "preact/hooks";

/** Reads again when the version changes, as the parcels of an order do when it ships. */
export function useAgain(version: number, ...reloads: readonly (() => Promise<void>)[]): void {
  const known = useRef(version);
  useEffect(() => {
    if (known.current === version) return;
    known.current = version;
    for (const reload of reloads) void reload();
  }, [version]);
}
