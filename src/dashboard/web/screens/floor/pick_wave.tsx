import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { post } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import type { ShortPickReason, WaveRecord, WaveStop, WaveWalk } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Icon } from "../../components/icon.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { words } from "../../text/common.ts";
import { floorTexts } from "../../text/floor.ts";
import { date } from "../../text/format.ts";
import type { ActQueue } from "./act_queue.ts";
import { BigButton } from "./big_button.tsx";
import { FloorFrame, useQueue } from "./floor_frame.tsx";
import { NumberPad } from "./number_pad.tsx";
import { type PickStep, PickTask } from "./pick_task.ts";
import { openSession, packScanned, takeNext } from "./work_tasks.ts";

const texts = floorTexts.pick;
const reasons: readonly ShortPickReason[] = ["not_found", "damaged", "wrong_item", "blocked"];

/** Picking a wave: what to do now, and nothing else. */
export function PickWaveScreen({ params: { id = "" } }: ScreenProps) {
  const queue = useQueue();
  const task = useMemo(() => new PickTask(id), [id]);
  const problem = useSignal<ApiProblem | null>(null);
  const asking = useSignal<"units" | "short" | "more" | null>(null);
  const { data: wave } = useQuery<WaveRecord>(`/waves/${id}`);
  const load = () =>
    task.load().then(
      () => (problem.value = null),
      (error) => (problem.value = problemOf(error)),
    );
  useEffect(() => void load(), [task]);
  const walk = task.walk.value;
  const stop = task.stop.value;
  const onScan = async (read: string) => {
    asking.value = null;
    if (task.walk.peek() === null) await task.load();
    if (task.stop.peek() !== null) return task.scan(read);
    return task.walk.peek()?.mode === "cluster" ? openSession({ code: read }) : packScanned(read, id);
  };
  return (
    <FloorFrame
      title={texts.title(id)}
      back="/floor"
      queue={queue}
      prompt={walk !== null && stop === null ? packPrompt(walk) : texts.prompts[task.step.value]}
      onScan={onScan}
      {...(stop !== null && { products: [{ id: stop.product_id, sku: stop.sku, name: stop.name }] })}
      progress={walk && <WalkProgress walk={walk} />}
      act={
        asking.value === null &&
        walk &&
        (stop === null ? <NextTask queue={queue} /> : <StopActs task={task} queue={queue} asking={asking} />)
      }
    >
      {problem.value !== null && <Notice problem={problem.value} onRetry={() => void load()} />}
      {walk === null && problem.value === null && <Skeleton lines={3} />}
      {walk !== null && stop === null && <PickedWave walk={walk} />}
      {stop !== null && asking.value === null && (
        <>
          <StopNow task={task} stop={stop} />
          {wave && <ToteGrid wave={wave} current={task.order.value?.order_id ?? null} />}
        </>
      )}
      {asking.value === "units" && (
        <NumberPad
          label={texts.unitsTaken}
          first={task.needed.value - task.taken.value.units}
          onCancel={() => (asking.value = null)}
          onDone={(units) => {
            asking.value = null;
            queue.add(() => task.addUnits(units));
          }}
        />
      )}
      {asking.value === "short" && <ShortPick task={task} queue={queue} onEnd={() => (asking.value = null)} />}
      {asking.value === "more" && <More id={id} task={task} queue={queue} onEnd={() => (asking.value = null)} />}
    </FloorFrame>
  );
}

/** What to scan once everything is picked: packing begins without a tap. */
const packPrompt = (walk: WaveWalk) => (walk.mode === "cluster" ? floorTexts.pack.scanTote : floorTexts.pack.scanItem);

function WalkProgress({ walk: { progress } }: { readonly walk: WaveWalk }) {
  const { units, units_left, units_waiting, stops_left, orders_left } = progress;
  return (
    <div class="floor-progress">
      <progress max={Math.max(units, 1)} value={units - units_left - units_waiting} aria-label={texts.progress} />
      {stops_left > 0 && <span>{texts.left(stops_left, orders_left)}</span>}
    </div>
  );
}

/** What to do now: the bin, then the item and how many, then the tote. */
function StopNow({ task, stop }: { readonly task: PickTask; readonly stop: WaveStop }) {
  const step = task.step.value;
  const { units } = task.taken.value;
  const order = task.order.value;
  const totes = order?.totes ?? [];
  const tote = totes.length > 0 ? totes.join(", ") : order === null ? null : texts.freeTote;
  return (
    <>
      <Step of="bin" now={step} label={texts.goTo}>
        <strong class="floor-number">{stop.bin}</strong>
      </Step>
      <Step of="item" now={step} label={texts.take}>
        <strong class="floor-main">{stop.name}</strong>
        <span>
          {stop.sku}
          {stop.lot_number !== null && ` · ${texts.lot(stop.lot_number)}`}
          {stop.expiration_date !== null && ` · ${texts.expires(date(stop.expiration_date))}`}
        </span>
      </Step>
      <div class="floor-pair">
        <Step of="quantity" now={step} label={texts.units}>
          <strong class="floor-number">
            {units > 0 && <span class="floor-count">{`${units} / `}</span>}
            {task.needed.value}
          </strong>
          {order !== null && stop.orders.length > 1 && <span>{texts.ofStop(stop.quantity)}</span>}
        </Step>
        {tote !== null && (
          <Step of="tote" now={step} label={texts.into}>
            <strong class={totes.length > 0 ? "floor-number" : "floor-main"}>{tote}</strong>
            <span>{order?.order_number}</span>
          </Step>
        )}
      </div>
    </>
  );
}

const steps: readonly PickStep[] = ["bin", "item", "lot", "quantity", "tote"];

interface StepProps {
  readonly of: PickStep;
  readonly now: PickStep;
  readonly label: string;
  readonly children: preact.ComponentChildren;
}

function Step({ of, now, label, children }: StepProps) {
  const is_now = of === now || (of === "item" && now === "lot");
  const is_done = !is_now && steps.indexOf(of) < steps.indexOf(now);
  return (
    <section
      class="floor-step"
      data-state={is_now ? "now" : is_done ? "done" : "later"}
      aria-current={is_now && "step"}
    >
      <span class="floor-step-label">
        {is_done && <Icon name="check" size={22} />}
        {label}
      </span>
      {children}
    </section>
  );
}

/** The totes of the wave by their place, with marks: full, waiting, and the one that is filled now. */
function ToteGrid({ wave, current }: { readonly wave: WaveRecord; readonly current: string | null }) {
  if (wave.mode !== "cluster") return null;
  return (
    <ol class="floor-totes" aria-label={texts.totes}>
      {wave.orders
        .filter(({ open }) => open)
        .map(({ order_id, position, totes, units_left, units_waiting }) => {
          const left = units_left + units_waiting;
          return (
            <li key={order_id} data-state={order_id === current ? "now" : left === 0 ? "done" : "later"}>
              {units_left > 0 ? <span>{units_left}</span> : <Icon name={left === 0 ? "check" : "pause"} size={18} />}
              <small>{totes[0] ?? position}</small>
            </li>
          );
        })}
    </ol>
  );
}

type Asking = "units" | "short" | "more" | null;

interface StopActsProps {
  readonly task: PickTask;
  readonly queue: ActQueue;
  readonly asking: { value: Asking };
}

function StopActs({ task, queue, asking }: StopActsProps) {
  const step = task.step.value;
  const left = task.needed.value - task.taken.value.units;
  const is_counting = step === "quantity" && task.taken.value.product_id !== null && left > 0;
  return (
    <>
      <BigButton title={texts.problem} icon="warning" onClick={() => (asking.value = "short")} />
      {is_counting ? (
        <>
          <BigButton title={texts.otherUnits} onClick={() => (asking.value = "units")} />
          <BigButton kind="primary" title={texts.all(left)} queue={queue} act={() => task.addUnits(left)} />
        </>
      ) : (
        <BigButton title={words.more} icon="more" onClick={() => (asking.value = "more")} />
      )}
    </>
  );
}

interface PanelProps {
  readonly task: PickTask;
  readonly queue: ActQueue;
  readonly onEnd: () => void;
}

/** Reports units that are not there: how many, and why. */
function ShortPick({ task, queue, onEnd }: PanelProps) {
  const stop = task.stop.value;
  const most = (stop?.quantity ?? 0) - task.taken.value.units;
  const missing = useSignal(most);
  const change = (by: number) => {
    missing.value = Math.min(Math.max(missing.value + by, 1), most);
  };
  return (
    <section class="floor-menu" aria-label={texts.problem}>
      <h2>{texts.missing(stop?.name ?? "", stop?.bin ?? "")}</h2>
      <div class="floor-stepper">
        <button type="button" aria-label={texts.fewer} disabled={missing.value <= 1} onClick={() => change(-1)}>
          <Icon name="minus" size={32} />
        </button>
        <output class="floor-number">{missing.value}</output>
        <button type="button" aria-label={texts.morePieces} disabled={missing.value >= most} onClick={() => change(1)}>
          <Icon name="plus" size={32} />
        </button>
      </div>
      {reasons.map((reason) => (
        <BigButton
          key={reason}
          title={texts.reasons[reason]}
          queue={queue}
          act={() => {
            onEnd();
            return task.reportShort(reason, missing.value);
          }}
        />
      ))}
      <BigButton title={words.cancel} onClick={onEnd} />
    </section>
  );
}

function More({ id, task, queue, onEnd }: PanelProps & { readonly id: string }) {
  const last = task.last.value;
  const leave = async () => {
    await post(`/work/pick_${id}/release`);
    navigate(to("/floor"));
    return null;
  };
  const takeBack = () => {
    onEnd();
    return task.takeBack();
  };
  return (
    <section class="floor-menu" aria-label={words.more}>
      {last !== null && <BigButton icon="return" title={texts.takeBack(last.name)} queue={queue} act={takeBack} />}
      <BigButton icon="pause" title={texts.leave} queue={queue} act={leave} />
      <BigButton title={words.cancel} onClick={onEnd} />
    </section>
  );
}

function PickedWave({ walk }: { readonly walk: WaveWalk }) {
  return (
    <>
      <section class="floor-done">
        <Icon name="done" size={64} />
        <h2>{walk.status === "cancelled" ? texts.cancelled : texts.allPicked}</h2>
        <p>{walk.mode === "cluster" ? texts.bringTotes : texts.bringGoods}</p>
      </section>
      {walk.waiting.map(({ order_id, order_number, status, backordered, totes }) => (
        <section key={order_id} class="floor-card note">
          <Icon name="warning" size={28} />
          <div>
            <strong>{texts.waits(order_number, status, backordered)}</strong>
            {totes.length > 0 && <p>{texts.aside(order_number, totes)}</p>}
          </div>
        </section>
      ))}
    </>
  );
}

function NextTask({ queue }: { readonly queue: ActQueue }) {
  return <BigButton kind="primary" icon="play" title={floorTexts.next} queue={queue} act={() => takeNext()} />;
}
