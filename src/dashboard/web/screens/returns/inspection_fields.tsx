import { useId } from "preact/hooks";
import { conditions, dispositions } from "../../../../returns/return.transitions.ts";
import { useQuery } from "../../api/query.ts";
import type { Return } from "../../api/types.ts";
import { wordOptions } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { type Editing, type FormField, type FormValues, Select } from "../../components/fields.tsx";
import { words } from "../../text/common.ts";
import { orderTexts } from "../../text/order.ts";
import { returnTexts as texts } from "../../text/returns.ts";
import { stateWords } from "../../text/states.ts";
import { UnitLines } from "../orders/units_field.tsx";

/** The finding of an inspection for some units of a SKU. */
interface InspectionFinding {
  readonly sku: string;
  readonly quantity: string;
  readonly condition: string;
  readonly disposition: string;
  readonly lot_number: string;
  readonly bin: string;
  readonly notes: string;
}

/** The initial findings: one per item with units to inspect. */
export function firstFindings({ items }: Return): InspectionFinding[] {
  return items.flatMap(({ sku, quantity_received, condition, inspections }) => {
    const open = quantity_received - inspections.reduce((sum, { quantity }) => sum + quantity, 0);
    const rest = { disposition: "", lot_number: "", bin: "", notes: "" };
    return open > 0 ? { sku, quantity: String(open), condition: condition ?? "unopened", ...rest } : [];
  });
}

/** The findings of a request. */
export function findingsOf(value: unknown) {
  return (value as readonly InspectionFinding[]).flatMap(({ sku, quantity, ...said }) => {
    if (Number(quantity) < 1) return [];
    const given = Object.entries(said).filter(([, text]) => text.trim() !== "");
    return { sku, quantity: Number(quantity), ...Object.fromEntries(given) };
  });
}

/** A field for the findings of an inspection. Units of one SKU can have several findings. */
export const findingsField: FormField = {
  kind: "custom",
  name: "items",
  label: "",
  render: (editing) => <Findings editing={editing} />,
};

function Findings({ editing }: { readonly editing: Editing }) {
  const findings = editing.value as readonly InspectionFinding[];
  const change = (at: number, changes: Partial<InspectionFinding>) =>
    editing.set(findings.map((one, place) => (place === at ? { ...one, ...changes } : one)));
  const divide = (at: number) => {
    const one = findings[at] as InspectionFinding;
    const [first, second] = [Math.ceil(Number(one.quantity) / 2), Math.floor(Number(one.quantity) / 2)];
    editing.set(
      findings.flatMap((other, place) =>
        place === at
          ? [
              { ...one, quantity: String(first) },
              { ...one, quantity: String(second) },
            ]
          : other,
      ),
    );
  };
  return (
    <div class="findings">
      {findings.map((finding, at) => (
        <fieldset key={`${at} ${finding.sku}`} class="finding">
          <legend>
            <code>{finding.sku}</code>
          </legend>
          <OneFinding
            finding={finding}
            change={(changes) => change(at, changes)}
            onDivide={Number(finding.quantity) > 1 ? () => divide(at) : null}
            onRemove={
              findings.filter(({ sku }) => sku === finding.sku).length > 1
                ? () => editing.set(findings.filter((_, place) => place !== at))
                : null
            }
          />
          {["quantity", "condition", "disposition", "lot_number", "bin", "notes"].map((name) => {
            const wrong = editing.problem(`[${at}].${name}`);
            return (
              wrong && (
                <p key={name} class="field-wrong" role="alert">
                  {stateWords(name)} {wrong}
                </p>
              )
            );
          })}
        </fieldset>
      ))}
    </div>
  );
}

interface OneFindingProps {
  readonly finding: InspectionFinding;
  readonly change: (changes: Partial<InspectionFinding>) => void;
  readonly onDivide: (() => void) | null;
  readonly onRemove: (() => void) | null;
}

function OneFinding({ finding, change, onDivide, onRemove }: OneFindingProps) {
  const { sku, quantity, condition, disposition, lot_number, bin, notes } = finding;
  const named = (title: string) => `${title}: ${sku}`;
  return (
    <div class="finding-fields">
      <label>
        <span>{words.quantity}</span>
        <input
          type="text"
          inputMode="numeric"
          aria-label={orderTexts.quantityOf(sku)}
          value={quantity}
          onInput={(event) => change({ quantity: event.currentTarget.value.replace(/\D/g, "") })}
        />
      </label>
      <label>
        <span>{texts.found}</span>
        <Select
          aria-label={named(texts.found)}
          value={condition}
          options={wordOptions(conditions)}
          onChoose={(chosen) => change({ condition: chosen })}
        />
      </label>
      <label>
        <span>{texts.disposition}</span>
        <Select
          aria-label={named(texts.disposition)}
          value={disposition}
          options={dispositions.map((value) => ({ value, title: texts.dispositions[value] ?? value }))}
          empty={texts.byCondition}
          onChoose={(chosen) => change({ disposition: chosen })}
        />
      </label>
      <Lot sku={sku} value={lot_number} onChange={(lot_number) => change({ lot_number })} />
      <label>
        <span>{words.bin}</span>
        <input type="text" value={bin} onInput={(event) => change({ bin: event.currentTarget.value })} />
      </label>
      <label class="wide">
        <span>{words.notes}</span>
        <input type="text" value={notes} onInput={(event) => change({ notes: event.currentTarget.value })} />
      </label>
      <div class="finding-acts">
        {onDivide && <Button kind="plain" icon="plus" title={texts.addFinding} onClick={onDivide} />}
        {onRemove && <Button kind="plain" icon="delete" title={words.remove} onClick={onRemove} />}
      </div>
    </div>
  );
}

interface LotProps {
  readonly sku: string;
  readonly value: string;
  readonly onChange: (lot: string) => void;
}

/** A field for a lot, which suggests the known lots of the SKU. */
function Lot({ sku, value, onChange }: LotProps) {
  const id = useId();
  const { data: lots } = useQuery<readonly { readonly lot_number: string }[]>("/inventory/lots", { sku, limit: 50 });
  return (
    <label>
      <span>{words.lot}</span>
      <input type="text" list={id} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
      <datalist id={id}>
        {lots?.map((lot) => (
          <option key={lot.lot_number} value={lot.lot_number} />
        ))}
      </datalist>
    </label>
  );
}

interface Outstanding {
  readonly sku: string;
  readonly most: number;
}

/** The outstanding units of a return, by SKU. */
export function outstanding({ items }: Return): Outstanding[] {
  const units = new Map<string, number>();
  for (const { sku, quantity, quantity_received } of items) {
    units.set(sku, (units.get(sku) ?? 0) + quantity - quantity_received);
  }
  return [...units].flatMap(([sku, most]) => (most > 0 ? { sku, most } : []));
}

/** The entered units as items of a request. */
export function unitsOf(value: unknown) {
  return Object.entries(value as FormValues).flatMap(([sku, entered]) => {
    const quantity = Number(entered);
    return quantity > 0 ? { sku, quantity } : [];
  });
}

/** A field for the units of each SKU. */
export function unitFields(lines: readonly Outstanding[]): FormField {
  return {
    kind: "custom",
    name: "items",
    label: words.items,
    render: ({ id, value, set, problem }) => {
      const entered = value as FormValues;
      const named = unitsOf(entered);
      return (
        <div class="units">
          <UnitLines
            id={id}
            lines={lines.map((line) => ({ ...line, id: line.sku }))}
            entered={entered}
            onEnter={set}
            wrong={({ sku }) => {
              const at = named.findIndex((one) => one.sku === sku);
              return at < 0 ? undefined : problem(`[${at}].quantity`);
            }}
          />
        </div>
      );
    },
  };
}
