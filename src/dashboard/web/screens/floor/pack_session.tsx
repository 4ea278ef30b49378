import { signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { patch, post } from "../../api/client.ts";
import { useCarrierNames } from "../../api/names.ts";
import { problemOf } from "../../api/problem.ts";
import { useQuery, useReloading } from "../../api/query.ts";
import type { CartonRecord, PackingSession } from "../../api/types.ts";
import { navigate, query, to } from "../../browser/router.ts";
import { Icon } from "../../components/icon.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { words } from "../../text/common.ts";
import { floorTexts } from "../../text/floor.ts";
import { weight as weightText } from "../../text/format.ts";
import { type ActQueue, type Outcome, sendUntilAnswered } from "./act_queue.ts";
import { BigButton } from "./big_button.tsx";
import { FloorFrame, useQueue } from "./floor_frame.tsx";
import { NumberPad } from "./number_pad.tsx";
import { ParcelDocuments } from "./parcel_documents.tsx";
import { openSession, packScanned, takeNext } from "./work_tasks.ts";

const texts = floorTexts.pack;

type Asking = "units" | "weight" | "reason" | "carton" | "more" | null;

/** Packing one parcel: its units are scanned, and the last one closes it and prints its label. */
export function PackSessionScreen({ params: { id = "" } }: ScreenProps) {
  const queue = useQueue();
  const pack = useMemo(() => packing(id), [id]);
  const asking = useSignal<Asking>(null);
  /** The wave whose goods are packed by scanning their items; null for totes and orders. */
  const wave_id = query.value.get("wave");
  const opened = useQuery<PackingSession>(`/packing_sessions/${id}`);
  if (opened.data !== undefined) pack.see(opened.data);
  const session = pack.session.value;
  const is_open = session === undefined || session.status === "open";
  useReloading(session?.label_status === "pending" || session?.label_status === "processing", opened.reload);
  const end = () => {
    asking.value = null;
  };
  const act = (run: () => Promise<Outcome | null>) => {
    end();
    queue.add(run);
  };
  const onScan = (read: string) => {
    end();
    // A quick scanner is ahead of the parcel that the scan before opened.
    if (is_open) return pack.scan({ code: read });
    return wave_id === null ? openSession({ code: read }) : packScanned(read, wave_id);
  };
  return (
    <FloorFrame
      title={session ? texts.title(session.order_number) : floorTexts.kinds.pack}
      back="/floor"
      queue={queue}
      prompt={is_open ? texts.scanUnit : wave_id === null ? texts.scanTote : texts.scanItem}
      onScan={onScan}
      {...(session?.status === "open" && { products: unpacked(session) })}
      progress={session && <Progress of={session} />}
      act={session && asking.value === null && <PackActs pack={pack} queue={queue} asking={asking} />}
    >
      {opened.problem && session === undefined && (
        <Notice problem={opened.problem} onRetry={() => void opened.reload()} />
      )}
      {session === undefined && !opened.problem && <Skeleton lines={3} />}
      {session !== undefined && asking.value === null && (
        <>
          {isWrongLot(queue) && <BigButton icon="close" title={texts.cancel} queue={queue} act={pack.cancel} />}
          <Parcel of={session} pack={pack} queue={queue} ask={(what) => (asking.value = what)} />
        </>
      )}
      {asking.value === "units" && (
        <NumberPad
          label={texts.unitsOf(pack.last.value?.name ?? "")}
          onCancel={end}
          onDone={(quantity) => act(() => pack.scan({ code: pack.last.peek()?.code ?? "", quantity }))}
        />
      )}
      {asking.value === "weight" && (
        <NumberPad
          label={texts.weightIn(session?.weight_unit ?? "lb")}
          decimals
          onCancel={end}
          onDone={(weight) => act(() => pack.update({ weight, weight_unit: session?.weight_unit ?? "lb" }))}
        />
      )}
      {asking.value === "reason" && <Reasons onChoose={(weight_reason) => act(() => pack.update({ weight_reason }))} />}
      {asking.value === "carton" && <Cartons onChoose={(carton_id) => act(() => pack.update({ carton_id }))} />}
      {asking.value === "more" && <More pack={pack} act={act} ask={(what) => (asking.value = what)} />}
    </FloorFrame>
  );
}

/** Null for a barcode without the lot, where the lot is needed. */
function askForLot(error: unknown): null {
  if (problemOf(error).fields.some(({ field }) => field === "lot_number")) return null;
  throw error;
}

type Packing = ReturnType<typeof packing>;

/** The session as this screen saw it last, and its acts. */
function packing(id: string) {
  const session = signal<PackingSession | undefined>(undefined);
  /** The unit that was scanned last, for more of the same. */
  const last = signal<{ readonly code: string; readonly name: string } | null>(null);
  /** Whether the person closed the parcel to pack the rest of the order into another one. */
  const continues = signal(false);
  const see = (data: PackingSession) => {
    const before = session.peek();
    if (before === undefined || data.revision >= before.revision) session.value = data;
  };
  const path = `/packing_sessions/${id}`;
  const send = async (call: (key: string) => Promise<{ readonly data: PackingSession }>) => {
    const { data } = await sendUntilAnswered(call);
    see(data);
    return data;
  };
  const scan = async (body: { readonly code: string; readonly quantity?: number }): Promise<Outcome> => {
    const before = session.peek();
    const data = await send((key) => post<PackingSession>(`${path}/scans`, body, { key })).catch(askForLot);
    if (data === null) return { kind: "info", title: floorTexts.pick.scanLot };
    const addedTo = ({ line_id, product_id, scanned }: PackingSession["lines"][number]) => {
      const old = before?.lines.find((one) => one.line_id === line_id && one.product_id === product_id);
      return scanned - (old?.scanned ?? 0);
    };
    const line = data.lines.find((one) => addedTo(one) > 0);
    const units = data.units_scanned - (before?.units_scanned ?? 0);
    if (line !== undefined) last.value = { code: body.code, name: line.name };
    if (data.status === "closed") return { kind: "done", title: texts.closed };
    if (data.blocked_by !== null) return { kind: "info", title: texts.oneMore, text: data.blocked_by.message };
    return {
      kind: "right",
      title: line?.name ?? "",
      text: texts.added(units, floorTexts.pick.counted(line?.scanned ?? 0, line?.needed ?? 0)),
    };
  };
  const unscan = async (): Promise<Outcome> => {
    const { code = "", name = "" } = last.peek() ?? {};
    await send((key) => post<PackingSession>(`${path}/unscan`, { code }, { key }));
    return { kind: "info", title: texts.takenOut(name) };
  };
  const update = async (body: Readonly<Record<string, unknown>>): Promise<Outcome> => {
    const data = await send((key) => patch<PackingSession>(path, body, { key }));
    return data.status === "closed" ? { kind: "done", title: texts.closed } : { kind: "right", title: texts.saved };
  };
  const close = async (): Promise<Outcome> => {
    await send((key) => post<PackingSession>(`${path}/close`, {}, { key }));
    continues.value = true;
    return { kind: "done", title: texts.closed };
  };
  const cancel = async (): Promise<null> => {
    await send((key) => post<PackingSession>(`${path}/cancel`, {}, { key }));
    navigate(to("/floor"));
    return null;
  };
  const buyLabel = async (): Promise<Outcome> => {
    await send((key) => post<PackingSession>(`${path}/label`, {}, { key }));
    return { kind: "info", title: texts.buying };
  };
  return { session, last, continues, see, scan, unscan, update, close, cancel, buyLabel };
}

/** Whether the last scan had a lot that must not leave: the parcel may have to wait for another unit. */
const isWrongLot = ({ outcome }: ActQueue) =>
  ["wrong_lot", "lot_expired", "lot_not_pickable"].includes(outcome.value?.code ?? "");

const unpacked = ({ lines }: PackingSession) =>
  lines.filter(({ needed, scanned }) => scanned < needed).map(({ product_id: id, sku, name }) => ({ id, sku, name }));

function Progress({ of: { units_needed, units_scanned } }: { readonly of: PackingSession }) {
  return (
    <div class="floor-progress">
      <progress max={Math.max(units_needed, 1)} value={units_scanned} aria-label={floorTexts.pick.progress} />
      <span>{texts.progress(units_scanned, units_needed)}</span>
    </div>
  );
}

interface ParcelProps {
  readonly of: PackingSession;
  readonly pack: Packing;
  readonly queue: ActQueue;
  readonly ask: (what: Asking) => void;
}

function Parcel({ of: session, pack, queue, ask }: ParcelProps) {
  const { status, packing_note, lines, blocked_by } = session;
  if (status === "closed") return <Closed of={session} pack={pack} queue={queue} />;
  return (
    <>
      {packing_note !== null && (
        <section class="floor-card note">
          <Icon name="info" size={28} />
          <span>{packing_note}</span>
        </section>
      )}
      {blocked_by !== null && (
        <BigButton
          kind="primary"
          icon="ruler"
          title={blocked_by.field === "weight_reason" ? texts.giveReason : texts.enterWeight}
          onClick={() => ask(blocked_by.field === "weight_reason" ? "reason" : "weight")}
        />
      )}
      <ul class="floor-lines">
        {lines.map((line) => (
          <Line key={`${line.line_id} ${line.product_id}`} of={line} />
        ))}
      </ul>
      <CartonAndWeight of={session} />
    </>
  );
}

function Line({ of: { sku, name, needed, scanned, lots } }: { readonly of: PackingSession["lines"][number] }) {
  const is_done = scanned >= needed;
  return (
    <li data-state={is_done ? "done" : scanned > 0 ? "now" : "later"}>
      <Icon name={is_done ? "done" : "box"} size={32} />
      <div>
        <strong>{name}</strong>
        <span>
          {sku}
          {lots.map(({ lot_number }) => ` · ${floorTexts.pick.lot(lot_number)}`)}
        </span>
      </div>
      <span class="floor-of">{`${scanned} / ${needed}`}</span>
    </li>
  );
}

function CartonAndWeight({
  of: { carton, carton_gap, weight, weight_unit, weight_source },
}: {
  readonly of: PackingSession;
}) {
  return (
    <dl class="floor-facts">
      <dt>{texts.carton}</dt>
      <dd>{carton?.code ?? (carton_gap === null ? texts.noCarton : texts.gaps[carton_gap])}</dd>
      <dt>{words.weight}</dt>
      <dd>
        {weight === null
          ? texts.noWeight
          : texts.weight(weightText(rounded(weight, weight_unit), weight_unit), weight_source)}
      </dd>
    </dl>
  );
}

const rounded = (weight: number, unit: string | null) => (unit === "g" ? Math.round(weight) : weight);

/** What came of a packed parcel: its label, and what was printed. */
function Closed({ of: session, pack, queue }: Omit<ParcelProps, "ask">) {
  const { label_status, label_error, label, order_id } = session;
  const { carrierName } = useCarrierNames();
  return (
    <>
      <section class="floor-done">
        <Icon name="packed" size={64} />
        <h2>{texts.closed}</h2>
      </section>
      {label_status === "error" && (
        <>
          <section class="floor-card bad" role="alert">
            <Icon name="warning" size={32} />
            <span>{texts.labelFailed(label_error ?? "")}</span>
          </section>
          <BigButton kind="primary" icon="refresh" title={words.tryAgain} queue={queue} act={pack.buyLabel} />
        </>
      )}
      {(label_status === "pending" || label_status === "processing") && <p role="status">{texts.buying}</p>}
      {label !== null && label_status === "completed" && (
        <p class="floor-main">{texts.label(carrierName(label.carrier), label.tracking_number ?? "")}</p>
      )}
      {/* Its documents are queued once the label is being bought. */}
      {label_status !== "pending" && (
        <ParcelDocuments order_id={order_id} label={label_status === "completed" ? label : null} queue={queue} alarms />
      )}
      {pack.continues.value && (
        <BigButton icon="plus" title={texts.nextParcel} queue={queue} act={() => openSession({ order_id })} />
      )}
    </>
  );
}

interface PackActsProps {
  readonly pack: Packing;
  readonly queue: ActQueue;
  readonly asking: { value: Asking };
}

function PackActs({ pack, queue, asking }: PackActsProps) {
  if (pack.session.value?.status !== "open") {
    return <BigButton kind="primary" icon="play" title={floorTexts.next} queue={queue} act={() => takeNext()} />;
  }
  return (
    <>
      <BigButton title={words.more} icon="more" onClick={() => (asking.value = "more")} />
      {pack.last.value !== null && <BigButton title={texts.units} onClick={() => (asking.value = "units")} />}
    </>
  );
}

interface MoreProps {
  readonly pack: Packing;
  readonly act: (run: () => Promise<Outcome | null>) => void;
  readonly ask: (what: Asking) => void;
}

function More({ pack, act, ask }: MoreProps) {
  const last = pack.last.value;
  const has_units = (pack.session.value?.units_scanned ?? 0) > 0;
  return (
    <section class="floor-menu" aria-label={words.more}>
      <BigButton icon="ruler" title={texts.enterWeight} onClick={() => ask("weight")} />
      <BigButton icon="box" title={texts.chooseCarton} onClick={() => ask("carton")} />
      {last !== null && <BigButton icon="return" title={texts.takeOut(last.name)} onClick={() => act(pack.unscan)} />}
      {has_units && <BigButton icon="plus" title={texts.closeParcel} onClick={() => act(pack.close)} />}
      <BigButton icon="close" kind="danger" title={texts.cancel} onClick={() => act(pack.cancel)} />
      <BigButton title={words.back} onClick={() => ask(null)} />
    </section>
  );
}

function Reasons({ onChoose }: { readonly onChoose: (reason: string) => void }) {
  return (
    <section class="floor-menu" aria-label={texts.giveReason}>
      <h2>{texts.giveReason}</h2>
      {texts.weightReasons.map((reason) => (
        <BigButton key={reason} title={reason} onClick={() => onChoose(reason)} />
      ))}
    </section>
  );
}

function Cartons({ onChoose }: { readonly onChoose: (id: string | null) => void }) {
  const { data = [] } = useQuery<readonly CartonRecord[]>("/cartons", { active: true, limit: 100 });
  return (
    <section class="floor-menu" aria-label={texts.chooseCarton}>
      <h2>{texts.chooseCarton}</h2>
      {data.map(({ id, code, name }) => (
        <BigButton
          key={id}
          icon="box"
          title={name === null ? code : `${code} · ${name}`}
          onClick={() => onChoose(id)}
        />
      ))}
      <BigButton title={texts.suggested} onClick={() => onChoose(null)} />
    </section>
  );
}
