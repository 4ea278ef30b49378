import { useEffect } from "preact/hooks";

const every_ms = 2000;

/** Reads again every two seconds while something is in progress, in addition to the hints. */
export function useProgress(under_way: boolean, look: () => Promise<void>): void {
  useEffect(() => {
    if (!under_way) return;
    const timer = setInterval(() => void look(), every_ms);
    return () => clearInterval(timer);
  }, [under_way]);
}
