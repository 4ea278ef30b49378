import { useQuery } from "../../api/query.ts";
import type { PlainWave, WorkList } from "../../api/types.ts";
import { waveTexts as texts } from "../../text/waves.ts";

/** How many units of a wave are picked, as a bar and as text. */
export function WaveProgress({ of: { units, units_left, units_waiting } }: { readonly of: PlainWave["progress"] }) {
  const picked = units - units_left - units_waiting;
  return (
    <span class="wave-progress">
      <progress max={Math.max(units, 1)} value={picked} aria-label={texts.progress} />
      <span>{texts.unitsPicked(picked, units)}</span>
    </span>
  );
}

/** Returns a function for the name of the person who picks a wave; null if nobody does. */
export function usePickers() {
  const { data } = useQuery<WorkList>("/work", { kinds: "pick" });
  return (id: string) => data?.tasks.find(({ wave_id }) => wave_id === id)?.claim?.by.name ?? null;
}
