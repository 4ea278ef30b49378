// Says on every screen that the data came from a backup, while something that waited then waits for a decision.
import { post } from "../api/client.ts";
import type { Restoration } from "../api/developer_types.ts";
import { useQuery } from "../api/query.ts";
import { may, seesHouse } from "../api/session.ts";
import { confirm } from "../kit/confirm.tsx";
import { Icon } from "../kit/icon.tsx";
import { moment } from "../texts/format.ts";
import { shell } from "../texts/shell.ts";

const { restored: words } = shell;

/** The banner of a world that was restored, with what can be decided about what waits. */
export function RestoredBanner() {
  const asks = may("metrics.read") && seesHouse.value;
  const { data } = useQuery<readonly Restoration[]>(asks ? "/restorations" : null);
  const waiting = data?.find(({ status }) => status === "waiting");
  if (waiting === undefined) return null;
  return (
    <div class="restored-banner" role="region" aria-label={words.name}>
      <Icon name="shield" />
      <span>{words.says(moment(waiting.as_of), waiting.waiting)}</span>
      {may("house.manage") && (
        <>
          <button type="button" class="plain" onClick={() => void ask("send")}>
            {words.send.act}
          </button>
          <button type="button" class="plain" onClick={() => void ask("drop")}>
            {words.drop.act}
          </button>
        </>
      )}
    </div>
  );
}

function ask(action: "send" | "drop"): Promise<boolean> {
  const { title, text, act } = words[action];
  const run = () => post("/restorations/decide", { action });
  return confirm({ title, text, act, danger: action === "drop", run });
}
