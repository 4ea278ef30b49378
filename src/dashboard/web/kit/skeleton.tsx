import { useEffect, useState } from "preact/hooks";
import { words } from "../texts/common.ts";

/** True after 200 ms, so that fast answers do not make the screen flicker. */
function useLate(): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return late;
}

/** Grey lines in place of loading content. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  const late = useLate();
  return (
    <div class={late ? "skeleton late" : "skeleton"} role="status" aria-busy="true">
      <span class="unseen">{late ? words.loading : ""}</span>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class="skeleton-line" style={{ width: `${[92, 78, 85, 64, 88, 71][at % 6]}%` }} />
      ))}
    </div>
  );
}
