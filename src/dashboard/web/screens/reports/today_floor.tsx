import {
  initialWaveStatus,
  pickableWaveStatuses,
  type TaskKind,
  taskKinds,
} from "../../../../floor/floor.transitions.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import type { PlainWave, WorkList } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { Time } from "../../components/values.tsx";
import { floorTexts } from "../../text/floor.ts";
import { count } from "../../text/format.ts";
import { todayTexts as texts } from "../../text/today.ts";
import { waveTexts } from "../../text/waves.ts";
import { WaveProgress } from "../waves/wave_progress.tsx";

const open_waves = [initialWaveStatus, ...pickableWaveStatuses].join(",");
const shown_max = 6;

const lists: Readonly<Record<TaskKind, () => string>> = {
  pick: () => to("/waves"),
  pack: () => to("/orders", { status: "processing", short: "false" }),
  put_back: () => to("/putbacks"),
};

/** The open tasks by kind, and the open waves with their progress. Nothing if there are neither. */
export function FloorCard() {
  const shown = isOperatorUser.value && may("floor.read");
  const { data: waves = [], pagination } = useQuery<readonly PlainWave[]>(shown ? "/waves" : null, {
    status: open_waves,
    limit: shown_max,
  });
  const { data: work } = useQuery<WorkList>(shown ? "/work" : null);
  if (work === undefined || waves.length + work.tasks.length === 0) return null;
  const more = (pagination?.total ?? 0) - waves.length;
  return (
    <Card title={texts.floor} acts={<LinkButton title={texts.showWaves} href={to("/waves")} />}>
      <ul class="progress-parts">
        {taskKinds.map((kind) => {
          const own = work.tasks.filter((task) => task.kind === kind);
          const taken = own.filter(({ claim }) => claim !== null).length;
          return (
            <li key={kind}>
              <a href={lists[kind]()}>
                <b>{count(own.length)}</b> {floorTexts.kinds[kind]}
                {taken > 0 && ` (${texts.taken(taken)})`}
              </a>
            </li>
          );
        })}
      </ul>
      <ul class="today-waves">
        {waves.map(({ id, status, mode, progress, ship_by }) => (
          <li key={id}>
            <a href={to(`/waves/${id}`)}>{id}</a>
            <Badge of="wave" state={status} />
            <WaveProgress of={progress} />
            <small>
              {floorTexts.modes[mode]} · {texts.orders(progress.orders)}
              {ship_by !== null && (
                <>
                  {" "}
                  · {waveTexts.shipBy} <Time at={ship_by} />
                </>
              )}
            </small>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <a class="rows-all" href={to("/waves")}>
          {texts.more(more)}
        </a>
      )}
    </Card>
  );
}
