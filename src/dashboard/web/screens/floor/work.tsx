import { useQuery } from "../../api/query.ts";
import { may, session, signOut } from "../../api/session.ts";
import type { WorkList, WorkTask } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Icon } from "../../components/icon.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { floorTexts as texts } from "../../text/floor.ts";
import { shortDateTime } from "../../text/format.ts";
import type { ActQueue } from "./act_queue.ts";
import { BigButton, BigLink } from "./big_button.tsx";
import { device, useWarehouse } from "./device.ts";
import { FloorFrame, useQueue } from "./floor_frame.tsx";
import { openSession, openTask, takeNext, takeTask } from "./work_tasks.ts";

/** The tasks: the person's own first, one button for the next, and all others. */
export function FloorWorkScreen() {
  const queue = useQueue();
  const { all, here } = useWarehouse();
  const warehouse_id = here?.warehouse_id ?? null;
  const { data, problem, reload } = useQuery<WorkList>(warehouse_id === null ? null : "/work", { warehouse_id });
  const tasks = data?.tasks ?? [];
  const own = tasks.filter(isOwn);
  const others = tasks.filter((task) => !isOwn(task));
  if (all !== undefined && here === null) {
    return (
      <FloorFrame title={texts.work} queue={queue}>
        <p class="floor-main">{texts.chooseWarehouse}</p>
        <BigLink path="/floor/settings" icon="settings" title={texts.settings.title} />
      </FloorFrame>
    );
  }
  return (
    <FloorFrame
      title={texts.work}
      queue={queue}
      prompt={texts.pack.scanTote}
      onScan={(code) => openSession({ code })}
      act={<BigButton kind="primary" icon="play" title={texts.next} queue={queue} act={() => takeNext()} />}
    >
      {problem !== null && <Notice problem={problem} onRetry={() => void reload()} />}
      {data === undefined && problem === null && <Skeleton lines={4} />}
      {own.length > 0 && <Tasks title={texts.ownTasks} of={own} queue={queue} />}
      {others.length > 0 && <Tasks title={texts.allTasks} of={others} queue={queue} />}
      {data !== undefined && tasks.length === 0 && <p class="floor-main">{texts.noTask}</p>}
    </FloorFrame>
  );
}

const isOwn = ({ claim }: WorkTask) => claim !== null && claim.by.id === session.value?.user.id;

const icons = { pick: "cart", pack: "open", put_back: "return" } as const;

interface TasksProps {
  readonly title: string;
  readonly of: readonly WorkTask[];
  readonly queue: ActQueue;
}

function Tasks({ title, of, queue }: TasksProps) {
  return (
    <section>
      <h2>{title}</h2>
      <ul class="floor-lines">
        {of.map((task) => (
          <li key={task.id} data-state={isOwn(task) ? "now" : "later"}>
            <Icon name={icons[task.kind]} size={32} />
            <div>
              <strong>{texts.task(task)}</strong>
              <span>
                {texts.taskFacts(task.units, task.orders, task.ship_by === null ? null : shortDateTime(task.ship_by))}
              </span>
              {task.claim !== null && !isOwn(task) && (
                <span>{texts.takenBy(task.claim.by.name, task.claim.device)}</span>
              )}
            </div>
            <TaskAct of={task} queue={queue} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function TaskAct({ of: task, queue }: { readonly of: WorkTask; readonly queue: ActQueue }) {
  if (isOwn(task)) return <BigButton kind="primary" title={texts.goOn} queue={queue} act={() => openTask(task)} />;
  if (task.claim === null) return <BigButton title={texts.take} queue={queue} act={() => takeTask(task)} />;
  if (!may("floor.lead")) return null;
  return <BigButton title={texts.takeOver} queue={queue} act={() => takeTask(task)} />;
}

/** What can be done on the floor without a task, the settings of the device, and who is signed in. */
export function FloorMenuScreen() {
  const queue = useQueue();
  const { here } = useWarehouse();
  const leave = async () => {
    await signOut();
    navigate(to("/floor/sign-in", { back: location.pathname + location.search }), { force: true });
    return null;
  };
  return (
    <FloorFrame title={texts.menu} queue={queue} prompt={texts.pack.scanTote} onScan={(code) => openSession({ code })}>
      <div class="floor-menu">
        <BigLink path="/floor/look_up" icon="search" title={texts.lookUp.title} />
        <BigLink path="/floor/move" icon="arrowRight" title={texts.move.title} />
        <BigLink path="/floor/pack" icon="open" title={texts.pack.start} />
        <BigLink path="/floor/pack_items" icon="zap" title={texts.pack.fromItem} />
        <BigLink path="/floor/look_up" icon="print" title={texts.print.reprint} />
        <BigLink path="/floor/settings" icon="settings" title={texts.settings.title} />
        <BigButton icon="signOut" title={texts.changePerson} queue={queue} act={leave} />
      </div>
      <p class="floor-who">{texts.who(session.value?.user.name ?? "", device.value.name, here?.name ?? "")}</p>
    </FloorFrame>
  );
}
