// One action on many orders, with a preview before and the outcome of each order after.
import { useEffect, useState } from "preact/hooks";
import { cancelReasons, clientHoldReasons } from "../../../../orders/status.ts";
import { newKey, post } from "../../api/client.ts";
import { openDocument } from "../../api/documents.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { may, seesHouse } from "../../api/session.ts";
import type { Acted, Order } from "../../api/types.ts";
import { stateWords } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import type { Field, Values } from "../../kit/fields.tsx";
import { Form } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { refused } from "../../shell/toasts.tsx";
import { words } from "../../texts/common.ts";
import { orderListTexts as texts } from "../../texts/order_list.ts";
import { BuyLabels } from "./buy_labels.tsx";

type Action = Acted["action"];
/** The actions that one request does; labels are bought one by one, each at its own price. */
type Acting = Exclude<Action, "buy_label">;

const options = (all: readonly string[]) => all.map((value) => ({ value, title: stateWords(value) }));

const fields: Readonly<Record<Acting, readonly Field[]>> = {
  hold: [
    { kind: "select", name: "reason", label: texts.reason, required: true, options: options(clientHoldReasons) },
    { kind: "text", name: "note", label: texts.note },
  ],
  release: [],
  process: [],
  allocate: [],
  cancel: [{ kind: "select", name: "reason", label: texts.reason, required: true, options: options(cancelReasons) }],
};
const first: Readonly<Record<Acting, Values>> = {
  hold: { reason: "manual", note: "" },
  release: {},
  process: {},
  allocate: {},
  cancel: { reason: "staff" },
};

function inputOf(action: Acting, values: Values): Values {
  if (action === "hold") return { reason: values["reason"], ...(values["note"] ? { note: values["note"] } : {}) };
  return values;
}

interface Props {
  readonly chosen: readonly string[];
  readonly rows: readonly Order[];
  readonly clear: () => void;
}

/** The actions on the selected orders. */
export function BulkActs({ chosen, rows, clear }: Props) {
  const [action, setAction] = useState<Action | null>(null);
  const offered = ([] as Action[]).concat(
    may("orders.write") && may("orders.fulfil") ? ["process"] : [],
    may("orders.write") ? ["hold", "release"] : [],
    may("orders.write") && seesHouse.value ? ["allocate"] : [],
    may("orders.write") && may("shipping.buy") ? ["buy_label"] : [],
    may("orders.write") ? ["cancel"] : [],
  );
  const print = () => {
    openDocument("/pick-lists", "application/pdf", { order_ids: chosen.join(",") }).catch(refused);
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
      {seesHouse.value && <Button kind="plain" icon="print" title={texts.pickLists} onClick={print} />}
      {action === "buy_label" && (
        <BuyLabels
          ids={chosen}
          rows={rows}
          onClose={(done) => {
            setAction(null);
            if (done) clear();
          }}
        />
      )}
      {action !== null && action !== "buy_label" && (
        <BulkDialog
          action={action}
          chosen={chosen}
          rows={rows}
          onClose={(done) => {
            setAction(null);
            if (done) clear();
          }}
        />
      )}
    </>
  );
}

const titleOf = (action: Action, orders: number) =>
  action === "cancel" ? texts.cancelCount(orders) : texts.bulkTitle(texts.acts[action], orders);

interface DialogProps {
  readonly action: Acting;
  readonly chosen: readonly string[];
  readonly rows: readonly Order[];
  readonly onClose: (done: boolean) => void;
}

function BulkDialog({ action, chosen, rows, onClose }: DialogProps) {
  const [ids] = useState(chosen);
  const [names] = useState(() => new Map(rows.map(({ id, order_number }) => [id, order_number])));
  const [before, setBefore] = useState<Acted | null>(null);
  const [after, setAfter] = useState<Acted | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  useEffect(() => {
    const body = { action, order_ids: ids, input: inputOf(action, first[action]), dry_run: true };
    post<Acted>("/orders/actions", body).then(
      ({ data }) => setBefore(data),
      (error) => setProblem(problemOf(error)),
    );
  }, []);
  const able = (before?.results ?? []).flatMap(({ id, ok }) => (ok ? id : []));
  const submit = async (values: Values, key: string = newKey()) => {
    const body = { action, order_ids: able, input: inputOf(action, values) };
    setAfter((await post<Acted>("/orders/actions", body, { key })).data);
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
  readonly acted: Acted;
  readonly names: ReadonlyMap<string, string>;
}

/** The refused orders, each with the API error. */
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
