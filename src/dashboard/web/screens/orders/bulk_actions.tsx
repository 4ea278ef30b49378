// One action on many orders, with a preview before and the outcome of each order after.
import { useEffect, useState } from "preact/hooks";
import { cancelReasons, clientHoldReasons } from "../../../../orders/order.transitions.ts";
import { newKey, openDocument, post } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import type { BulkActionResult, Order } from "../../api/types.ts";
import { wordOptions } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { orderListTexts as texts } from "../../text/order_list.ts";
import { BuyLabels } from "./buy_labels.tsx";

type BulkMenuAction = BulkActionResult["action"];
/** The actions done by one request. Labels are bought one by one, each at its own price. */
type BulkAction = Exclude<BulkMenuAction, "buy_label">;

const fields: Readonly<Record<BulkAction, readonly FormField[]>> = {
  hold: [
    { kind: "select", name: "reason", label: words.reason, required: true, options: wordOptions(clientHoldReasons) },
    { kind: "text", name: "note", label: texts.note },
  ],
  release: [],
  tag: [{ kind: "text", name: "tags", label: texts.tags, help: texts.tagsHelp, required: true, focus: true }],
  untag: [{ kind: "text", name: "tags", label: texts.tags, help: texts.tagsHelp, required: true, focus: true }],
  process: [],
  allocate: [],
  pick: [],
  pack: [],
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
  ship: {},
  deliver: {},
  cancel: { reason: "staff" },
};

function inputOf(action: BulkAction, values: FormValues): FormValues {
  if (action === "hold") return { reason: values["reason"], ...(values["note"] ? { note: values["note"] } : {}) };
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
  readonly clear: () => void;
}

/** The actions on the selected orders. */
export function BulkActs({ chosen, rows, clear }: BulkActsProps) {
  const [action, setAction] = useState<BulkMenuAction | null>(null);
  const offered = ([] as BulkMenuAction[]).concat(
    may("orders.write") && may("orders.fulfill") ? ["process"] : [],
    may("orders.write") && may("orders.fulfill") ? ["pick", "pack", "ship", "deliver"] : [],
    may("orders.write") ? ["hold", "release", "tag", "untag"] : [],
    may("orders.write") && isOperatorUser.value ? ["allocate"] : [],
    may("orders.write") && may("shipping.buy") ? ["buy_label"] : [],
    may("orders.write") ? ["cancel"] : [],
  );
  const onClose = (done: boolean) => {
    setAction(null);
    if (done) clear();
  };
  const print = () => {
    openDocument("/pick_lists", "application/pdf", { order_ids: chosen.join(",") }).catch(showRefused);
  };
  return (
    <>
      {offered.map((one) => (
        <Button
          key={one}
          kind={one === "cancel" ? "danger" : "plain"}
          title={texts.acts[one]}
          onClick={() => setAction(one)}
        />
      ))}
      {isOperatorUser.value && <Button kind="plain" icon="print" title={texts.pickLists} onClick={print} />}
      {action === "buy_label" && <BuyLabels ids={chosen} rows={rows} onClose={onClose} />}
      {action !== null && action !== "buy_label" && (
        <BulkDialog action={action} chosen={chosen} rows={rows} onClose={onClose} />
      )}
    </>
  );
}

const titleOf = (action: BulkMenuAction, orders: number) =>
  action === "cancel" ? texts.cancelCount(orders) : texts.bulkTitle(texts.acts[action], orders);

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly chosen: readonly string[];
  readonly rows: readonly Order[];
  readonly onClose: (done: boolean) => void;
}

function BulkDialog({ action, chosen, rows, onClose }: BulkDialogProps) {
  const [ids] = useState(chosen);
  const [names] = useState(() => new Map(rows.map(({ id, order_number }) => [id, order_number])));
  const [before, setBefore] = useState<BulkActionResult | null>(null);
  const [after, setAfter] = useState<BulkActionResult | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  useEffect(() => {
    const body = { action, order_ids: ids, input: inputOf(action, first[action]) };
    post<BulkActionResult>("/orders/actions?dry_run=true", body).then(
      ({ data }) => setBefore(data),
      (error) => setProblem(problemOf(error)),
    );
  }, []);
  const able = (before?.results ?? []).flatMap(({ id, ok }) => (ok ? id : []));
  const submit = async (values: FormValues, key: string = newKey()) => {
    const body = { action, order_ids: able, input: inputOf(action, values) };
    setAfter((await post<BulkActionResult>("/orders/actions", body, { key })).data);
  };
  return (
    <Dialog title={titleOf(action, ids.length)} onClose={() => onClose(after !== null)}>
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
              onCancel={() => onClose(false)}
              onSubmit={submit}
            />
          )}
          {able.length === 0 && before && (
            <footer class="dialog-acts">
              <Button title={words.close} onClick={() => onClose(false)} />
            </footer>
          )}
        </>
      ) : (
        <>
          <div role="status">
            <p>{texts.bulkDone(after.done, texts.done[action])}</p>
            {after.failed > 0 && <Refused title={texts.bulkFailed(after.failed)} acted={after} names={names} />}
          </div>
          <footer class="dialog-acts">
            <Button kind="primary" title={words.close} onClick={() => onClose(true)} />
          </footer>
        </>
      )}
    </Dialog>
  );
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
