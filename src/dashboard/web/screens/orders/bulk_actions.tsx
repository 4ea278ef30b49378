// One action on many orders, with a preview before and the outcome of each order after.
import { useEffect, useRef, useState } from "preact/hooks";
import { cancelReasons, clientHoldReasons } from "../../../../orders/order.transitions.ts";
import { newKey, openDocument, post } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import type { BulkActionResult, Order } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { useShortcuts } from "../../browser/shortcuts.ts";
import { act } from "../../components/action.tsx";
import { wordOptions } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog, openDialog } from "../../components/dialog.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { Menu } from "../../components/menu.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { batchTexts } from "../../text/batch.ts";
import { words } from "../../text/common.ts";
import { orderListTexts as texts } from "../../text/order_list.ts";
import { firstWhy, whyBody, whyUndone } from "./action_forms.ts";
import { beginBatch } from "./batch_work.ts";
import { readOrders, undoSteps } from "./undo_steps.ts";

type BulkMenuAction = BulkActionResult["action"];
/** The actions with a dialog. Labels are bought on a screen of their own. */
type BulkAction = Exclude<BulkMenuAction, "buy_label">;

const fields: Readonly<Record<BulkAction, readonly FormField[]>> = {
  hold: [
    { kind: "select", name: "reason", label: words.reason, required: true, options: wordOptions(clientHoldReasons) },
    { kind: "text", name: "note", label: texts.note },
  ],
  release: [],
  tag: [{ kind: "text", name: "tags", label: words.tags, help: texts.tagsHelp, required: true, focus: true }],
  untag: [{ kind: "text", name: "tags", label: words.tags, help: texts.tagsHelp, required: true, focus: true }],
  process: [],
  allocate: [],
  pick: [],
  pack: [],
  unpick: whyUndone,
  unpack: whyUndone,
  ship: [],
  deliver: [],
  cancel: [
    { kind: "select", name: "reason", label: words.reason, required: true, options: wordOptions(cancelReasons) },
  ],
};
const first: Readonly<Record<BulkAction, FormValues>> = {
  hold: { reason: "manual", note: "" },
  release: {},
  tag: { tags: "" },
  untag: { tags: "" },
  process: {},
  allocate: {},
  pick: {},
  pack: {},
  unpick: firstWhy,
  unpack: firstWhy,
  ship: {},
  deliver: {},
  cancel: { reason: "staff" },
};

function inputOf(action: BulkAction, values: FormValues): FormValues {
  if (action === "hold") return { reason: values["reason"], ...(values["note"] ? { note: values["note"] } : {}) };
  if (action === "unpick" || action === "unpack") return whyBody(values);
  if (action !== "tag" && action !== "untag") return values;
  const tags = String(values["tags"])
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  // The preview, before any are entered, needs one.
  return { tags: tags.length === 0 ? ["–"] : tags } as unknown as FormValues;
}

interface BulkActsProps {
  readonly chosen: readonly string[];
  readonly rows: readonly Order[];
  /** Removes orders from the selection; those that refused an action stay selected. */
  readonly clear: (done?: readonly string[]) => void;
}

/** The actions that the user may do, without the purchase of labels. */
function offeredActions(): readonly BulkAction[] {
  const works = isOperatorUser.value && may("orders.fulfill");
  const ofFloor = ["process", "pick", "pack", "ship", "deliver", "unpick", "unpack"] as const;
  const ofOffice = ["hold", "release", "tag", "untag"] as const;
  return [
    ...(works ? ofFloor : []),
    ...(may("orders.write") ? ofOffice : []),
    ...(may("orders.write") && isOperatorUser.value ? (["allocate"] as const) : []),
    ...(may("orders.write") ? (["cancel"] as const) : []),
  ];
}

/** The actions on the selected orders: the flow from labels to shipping first. */
export function BulkActs({ chosen, rows, clear }: BulkActsProps) {
  const latest = useRef({ chosen, rows, clear });
  latest.current = { chosen, rows, clear };
  const ask = (action: BulkAction) =>
    openDialog((close) => {
      const { chosen: ids, rows: shown, clear: unselect } = latest.current;
      const onClose = (done: readonly string[]) => {
        close();
        if (done.length > 0) unselect(done);
      };
      return <BulkDialog action={action} chosen={ids} rows={shown} onClose={onClose} />;
    });
  const print = () => {
    openDocument("/pick_lists", "application/pdf", { order_ids: latest.current.chosen.join(",") }).catch(showRefused);
  };
  const begin = () => {
    beginBatch(latest.current.chosen);
    navigate(to("/orders/batch"));
  };
  const offered = offeredActions();
  const ships = (may("shipping.buy") || may("orders.fulfill")) && may("shipping.read");
  useShortcuts([
    ...(ships ? [{ keys: "l", title: batchTexts.start, run: begin }] : []),
    ...(isOperatorUser.value ? [{ keys: "p", title: texts.pickLists, run: print }] : []),
    ...(offered.includes("ship") ? [{ keys: "s", title: texts.acts.ship, run: () => ask("ship") }] : []),
  ]);
  const items = offered.map((action) => ({
    title: texts.acts[action],
    danger: action === "cancel",
    run: () => ask(action),
  }));
  return (
    <>
      {ships && <Button kind="primary" icon="truck" title={batchTexts.start} onClick={begin} />}
      {isOperatorUser.value && <Button kind="plain" icon="print" title={texts.pickLists} onClick={print} />}
      {items.length > 0 && (
        <Menu name={texts.moreActs} says_itself label={texts.moreActs} class="button" items={items} />
      )}
    </>
  );
}

const titleOf = (action: BulkAction, orders: number) =>
  action === "cancel" ? texts.cancelCount(orders) : texts.bulkTitle(texts.acts[action], orders);

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly chosen: readonly string[];
  readonly rows: readonly Order[];
  /** Gets the orders that were done. */
  readonly onClose: (done: readonly string[]) => void;
}

function BulkDialog({ action, chosen, rows, onClose }: BulkDialogProps) {
  const [ids] = useState(chosen);
  const [names] = useState(() => new Map(rows.map(({ id, order_number }) => [id, order_number])));
  const [before, setBefore] = useState<BulkActionResult | null>(null);
  const [after, setAfter] = useState<BulkActionResult | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const unchanged = useRef<Promise<OrdersById> | null>(null);
  useEffect(() => {
    if (isUndoable(action)) unchanged.current = completed(rows, ids);
    const body = { action, order_ids: ids, input: inputOf(action, first[action]) };
    post<BulkActionResult>("/orders/actions?dry_run=true", body).then(
      ({ data }) => setBefore(data),
      (error) => setProblem(problemOf(error)),
    );
  }, []);
  const able = (before?.results ?? []).flatMap(({ id, ok }) => (ok ? id : []));
  const submit = async (values: FormValues, key: string = newKey()) => {
    const body = { action, order_ids: able, input: inputOf(action, values) };
    const known = await unchanged.current;
    const { data } = await post<BulkActionResult>("/orders/actions", body, { key });
    if (data.failed === 0) return finish(data, known);
    setAfter(data);
  };
  const finish = async (acted: BulkActionResult, known: OrdersById | null) => {
    onClose(doneIn(acted));
    if (acted.done > 0) await report(action, acted, known);
  };
  const close = async () => (after === null ? onClose([]) : finish(after, await unchanged.current));
  return (
    <Dialog title={titleOf(action, ids.length)} onClose={() => void close()}>
      {after === null ? (
        <>
          <p class="dialog-text">{texts.bulkTexts[action]}</p>
          {problem && <Notice problem={problem} />}
          {before === null && problem === null && <Skeleton lines={2} />}
          {before && (
            <div role="status">
              <p>{texts.possible(before.done)}</p>
              {before.failed > 0 && <Refused title={texts.impossible(before.failed)} acted={before} names={names} />}
            </div>
          )}
          {able.length > 0 && (
            <Form
              fields={fields[action]}
              first={first[action]}
              submit={titleOf(action, able.length)}
              danger={action === "cancel"}
              stay={action === "cancel" ? texts.keep : undefined}
              guarded={false}
              onCancel={() => onClose([])}
              onSubmit={submit}
            />
          )}
          {able.length === 0 && before && (
            <footer class="dialog-acts">
              <Button title={words.close} onClick={() => onClose([])} />
            </footer>
          )}
        </>
      ) : (
        <Outcome action={action} acted={after} names={names} onClose={() => void close()} />
      )}
    </Dialog>
  );
}

interface OutcomeProps extends Omit<RefusedProps, "title"> {
  readonly action: BulkAction;
  readonly onClose: () => void;
}

/** How many orders an action has changed, and which ones refused it. */
function Outcome({ action, acted, names, onClose }: OutcomeProps) {
  return (
    <>
      <div role="status">
        <p>{texts.bulkDone(acted.done, texts.done[action])}</p>
        <Refused title={texts.bulkFailed(acted.failed)} acted={acted} names={names} />
      </div>
      <footer class="dialog-acts">
        <Button kind="primary" title={words.close} onClick={onClose} />
      </footer>
    </>
  );
}

const doneIn = ({ results }: BulkActionResult): readonly string[] => results.flatMap(({ id, ok }) => (ok ? id : []));

type OrdersById = ReadonlyMap<string, Order>;

/** Whether the success message offers to take the action back. */
const isUndoable = (action: BulkAction) => action === "pick" || action === "pack";

/** These orders by their ids. Those that are not known are read. */
async function completed(known: readonly Order[], ids: readonly string[]): Promise<OrdersById> {
  const all = new Map(known.map((order) => [order.id, order]));
  return new Map([...all, ...(await readOrders(ids.filter((id) => !all.has(id))))]);
}

/** Shows how many orders an action has changed, and offers to take it back. */
async function report(action: BulkAction, acted: BulkActionResult, before: OrdersById | null): Promise<void> {
  const done = doneIn(acted);
  const text = texts.bulkDone(done.length, texts.done[action]);
  if (before === null) return showSuccess(text);
  // A long response omits some orders.
  const shown = acted.results.flatMap(({ order }) => (order === undefined ? [] : (order as Order)));
  const after = await completed(shown, done);
  const changed = done.flatMap((id) => {
    const [was, is] = [before.get(id), after.get(id)];
    return was === undefined || is === undefined ? [] : { before: was, after: is };
  });
  const undo = undoSteps(changed, (step) => texts.bulkDone(done.length, texts.done[step]));
  showSuccess(text, undo && { title: undo.title, run: () => act(undo) });
}

interface RefusedProps {
  readonly title: string;
  readonly acted: BulkActionResult;
  readonly names: ReadonlyMap<string, string>;
}

/** The rejected orders, each with the API error. */
function Refused({ title, acted, names }: RefusedProps) {
  return (
    <>
      <p>
        <strong>{title}</strong>
      </p>
      <ul class="refused" aria-label={title} tabIndex={0}>
        {acted.results
          .filter(({ ok }) => !ok)
          .map(({ id, error }) => (
            <li key={id}>
              <b>{names.get(id) ?? id}</b> {error?.message}
            </li>
          ))}
      </ul>
    </>
  );
}
