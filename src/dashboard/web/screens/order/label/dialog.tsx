import { useState } from "preact/hooks";
import { post } from "../../../api/client.ts";
import { type ApiProblem, problemOf } from "../../../api/problem.ts";
import { refresh, useQuery } from "../../../api/query.ts";
import type { Label, Order, Rates } from "../../../api/types.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { type Field, FieldRow, type Values } from "../../../kit/fields.tsx";
import { Notice } from "../../../kit/notice.tsx";
import { PaperDialog } from "../../../kit/paper.tsx";
import { useLatest } from "../../../kit/use_latest.ts";
import { words } from "../../../texts/common.ts";
import { money, weight } from "../../../texts/format.ts";
import { labelTexts as texts } from "../../../texts/order.ts";
import { openUnits } from "../../order_parts/counters.ts";
import { labelPaper } from "../../order_parts/paper.ts";
import { choosable, chosenUnits, isAll, itemsOf, unitsField } from "../../order_parts/units.tsx";
import { useProgress } from "./progress.ts";
import { RateTable, rateKey } from "./rates.tsx";

const sizes = ["length", "width", "height"] as const;

/** The units of an order that are in no parcel yet. */
function looseLines(order: Order) {
  const parcelled = new Map<string, number>();
  for (const { status, items } of order.shipments) {
    if (status !== "pending") continue;
    for (const { line_id, quantity } of items) parcelled.set(line_id, (parcelled.get(line_id) ?? 0) + quantity);
  }
  return choosable(order, (line) => {
    return openUnits(line) - (parcelled.get(line.id) ?? 0);
  });
}

/** The question to the carriers from the entries; null without a valid weight. */
function questionOf(order: Order, values: Values) {
  const { weight, weight_unit, unit, value, insurance } = values;
  const entered = String(weight ?? "").trim();
  if (entered !== "" && !(Number(entered) > 0)) return null;
  const given = sizes.every((name) => Number(values[name]) > 0);
  return {
    order_id: order.id,
    ...(entered === "" ? {} : { weight: Number(entered), weight_unit }),
    ...(given
      ? { dimensions: { ...Object.fromEntries(sizes.map((name) => [name, Number(values[name])])), unit } }
      : {}),
    ...(value === "" ? {} : { value, insurance: insurance === true }),
  };
}

const first: Values = {
  weight: "",
  weight_unit: "lb",
  length: "",
  width: "",
  height: "",
  unit: "in",
  value: "",
  insurance: false,
  additional: false,
};

/** The entries of a parcel, its rates and the purchase of one. */
function usePurchase(order: Order) {
  const lines = looseLines(order);
  const [values, setValues] = useState<Values>({ ...first, items: chosenUnits(lines, true) });
  const [chosen, setChosen] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [label, setLabel] = useState<Label | null>(null);
  const [round, setRound] = useState(0);
  const question = questionOf(order, values);
  const asked = useLatest(
    question === null || label !== null ? null : JSON.stringify([question, round]),
    async (signal) => (await post<Rates>("/shipping/rates", question, { signal, key: null })).data,
    400,
  );
  const rate = asked.data?.rates.find((one) => rateKey(one) === chosen) ?? null;
  const set = (name: string, value: unknown) => setValues((now) => ({ ...now, [name]: value }));
  const buy = async () => {
    if (rate === null || asked.data === null) return;
    setBusy(true);
    setProblem(null);
    const worth = values["value"] === "" ? {} : { value: values["value"], insurance: values["insurance"] === true };
    try {
      const { data } = await post<Label>("/shipping/labels", {
        order_id: order.id,
        quote_id: rate.quote_id,
        package: { ...asked.data.parcel, ...worth },
        ...(lines.length === 0 || isAll(values["items"], lines) ? {} : { items: itemsOf(values["items"], lines) }),
      });
      refresh(new Set(["orders", "shipments"]));
      setLabel(data);
    } catch (error) {
      const found = problemOf(error);
      setProblem(found);
      if (found.code === "quote_expired" || found.code === "quote_used") setRound((now) => now + 1);
    } finally {
      setBusy(false);
    }
  };
  return { lines, values, set, asked, rate, chosen, setChosen, busy, problem, label, setLabel, buy };
}

/** Compares the rates of all carriers for a parcel of an order, and buys a label. */
export function LabelDialog({ order, onClose }: { readonly order: Order; readonly onClose: () => void }) {
  const { lines, values, set, asked, rate, chosen, setChosen, busy, problem, label, setLabel, buy } =
    usePurchase(order);
  if (label !== null) return <Bought label={label} onClose={onClose} onAgain={() => setLabel(null)} />;
  const weighed = values["weight"] === "" ? (asked.data?.parcel ?? null) : null;
  const fields: readonly Field[] = [
    {
      kind: "weight",
      name: "weight",
      unit_name: "weight_unit",
      label: texts.weight,
      width: "third",
      help: weighed === null ? texts.weightHelp : texts.weighs(weight(weighed.weight, weighed.weight_unit)),
    },
    {
      kind: "custom",
      name: "size",
      label: texts.size,
      width: "third",
      render: () => <Size values={values} set={set} />,
    },
    { kind: "money", name: "value", label: texts.value, currency: order.currency, width: "third" },
    { kind: "switch", name: "insurance", label: texts.insurance, when: ({ value }) => value !== "" },
    ...(lines.length > 1 || lines.some(({ most }) => most > 1) ? [{ ...unitsField(lines), label: texts.items }] : []),
  ];
  return (
    <Dialog title={`${texts.title}: ${order.order_number}`} wide onClose={onClose} mayClose={() => !busy}>
      <p class="dialog-text">{texts.text}</p>
      <div class="fields">
        {fields.map((field) => (
          <FieldRow key={field.name} field={field} values={values} set={set} problem={noProblem} />
        ))}
      </div>
      {asked.problem && <Notice problem={asked.problem} />}
      {problem && <Notice problem={problem} />}
      <RateTable rates={asked.data} asking={asked.asking} chosen={chosen} onChoose={setChosen} />
      <footer class="dialog-acts">
        <Button title={words.cancel} onClick={onClose} disabled={busy} />
        <Button
          kind="primary"
          busy={busy}
          disabled={rate === null || asked.asking}
          title={rate === null ? texts.choose : texts.buy(money(rate.rate, rate.currency))}
          onClick={() => void buy()}
        />
      </footer>
    </Dialog>
  );
}

const noProblem = () => undefined;

interface SizeProps {
  readonly values: Values;
  readonly set: (name: string, value: unknown) => void;
}

function Size({ values, set }: SizeProps) {
  return (
    <span class="with-unit size">
      {sizes.map((name) => (
        <input
          key={name}
          type="text"
          inputMode="decimal"
          aria-label={texts[name]}
          placeholder={texts[name]}
          value={String(values[name] ?? "")}
          onInput={(event) => set(name, event.currentTarget.value)}
        />
      ))}
      <select
        aria-label={texts.sizeUnit}
        value={String(values["unit"])}
        onChange={(event) => set("unit", event.currentTarget.value)}
      >
        <option value="in">in</option>
        <option value="cm">cm</option>
      </select>
    </span>
  );
}

interface BoughtProps {
  readonly label: Label;
  readonly onClose: () => void;
  readonly onAgain: () => void;
}

/** A bought label, or one whose purchase is in progress. */
function Bought({ label: first, onClose, onAgain }: BoughtProps) {
  const [printing, setPrinting] = useState(false);
  const { data, reload } = useQuery<Label>(`/shipping/labels/${first.label_id}`);
  const label = data ?? first;
  useProgress(label.status === "processing", reload);
  const number = label.tracking_number ?? label.label_id;
  if (printing) return <PaperDialog paper={labelPaper(label, number)} onClose={onClose} />;
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {label.status === "processing" && <Notice kind="info">{texts.processing}</Notice>}
      {label.status === "completed" && <Notice kind="done">{texts.bought(number)}</Notice>}
      {label.status === "error" && (
        <Notice kind="warning">
          {texts.failed}: {label.error?.message}
        </Notice>
      )}
      {label.warnings.map(({ field, message }) => (
        <Notice key={`${field} ${message}`} kind="warning">
          {message}
        </Notice>
      ))}
      <footer class="dialog-acts">
        <Button title={texts.done} onClick={onClose} />
        {label.status === "completed" && (
          <Button kind="primary" icon="print" title={texts.print} onClick={() => setPrinting(true)} />
        )}
        {label.status === "error" && <Button kind="primary" title={texts.again} onClick={onAgain} />}
      </footer>
    </Dialog>
  );
}
