import { useId } from "preact/hooks";
import { conditions, dispositions } from "../../../../returns/status.ts";
import { useQuery } from "../../api/query.ts";
import type { Return } from "../../api/types.ts";
import { stateWords } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import type { Editing, Field } from "../../kit/fields.tsx";
import { orderTexts } from "../../texts/order.ts";
import { returnTexts as texts } from "../../texts/returns.ts";

/** The finding of an inspection for some units of a SKU. */
interface Finding {
  readonly sku: string;
  readonly quantity: string;
  readonly condition: string;
  readonly disposition: string;
  readonly lot_number: string;
  readonly bin: string;
  readonly notes: string;
}

/** The initial findings: one per item with units to inspect. */
export function firstFindings({ items }: Return): Finding[] {
  return items.flatMap(({ sku, quantity_received, condition, inspections }) => {
    const open = quantity_received - inspections.reduce((sum, { quantity }) => sum + quantity, 0);
    const rest = { disposition: "", lot_number: "", bin: "", notes: "" };
    return open > 0 ? { sku, quantity: String(open), condition: condition ?? "unopened", ...rest } : [];
  });
}

/** The findings of a request. */
export function findingsOf(value: unknown) {
  return (value as readonly Finding[]).flatMap(({ sku, quantity, ...said }) => {
    if (Number(quantity) < 1) return [];
    const given = Object.entries(said).filter(([, text]) => text.trim() !== "");
    return { sku, quantity: Number(quantity), ...Object.fromEntries(given) };
  });
}

/** A field for the findings of an inspection. Units of one SKU can have several findings. */
export const findingsField: Field = {
  kind: "custom",
  name: "items",
  label: "",
  render: (editing) => <Findings editing={editing} />,
};

function Findings({ editing }: { readonly editing: Editing }) {
  const findings = editing.value as readonly Finding[];
  const change = (at: number, changes: Partial<Finding>) =>
    editing.set(findings.map((one, place) => (place === at ? { ...one, ...changes } : one)));
  const divide = (at: number) => {
    const one = findings[at] as Finding;
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

interface OneProps {
  readonly finding: Finding;
  readonly change: (changes: Partial<Finding>) => void;
  readonly onDivide: (() => void) | null;
  readonly onRemove: (() => void) | null;
}

function OneFinding({ finding, change, onDivide, onRemove }: OneProps) {
  const { sku, quantity, condition, disposition, lot_number, bin, notes } = finding;
  const named = (title: string) => `${title}: ${sku}`;
  return (
    <div class="finding-fields">
      <label>
        <span>{texts.quantity}</span>
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
        <select
          aria-label={named(texts.found)}
          value={condition}
          onChange={(event) => change({ condition: event.currentTarget.value })}
        >
          {conditions.map((word) => (
            <option key={word} value={word}>
              {stateWords(word)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{texts.disposition}</span>
        <select
          aria-label={named(texts.disposition)}
          value={disposition}
          onChange={(event) => change({ disposition: event.currentTarget.value })}
        >
          <option value="">{texts.byCondition}</option>
          {dispositions.map((word) => (
            <option key={word} value={word}>
              {texts.dispositions[word]}
            </option>
          ))}
        </select>
      </label>
      <Lot sku={sku} value={lot_number} onChange={(lot_number) => change({ lot_number })} />
      <label>
        <span>{texts.bin}</span>
        <input type="text" value={bin} onInput={(event) => change({ bin: event.currentTarget.value })} />
      </label>
      <label class="wide">
        <span>{texts.notes}</span>
        <input type="text" value={notes} onInput={(event) => change({ notes: event.currentTarget.value })} />
      </label>
      <div class="finding-acts">
        {onDivide && <Button kind="plain" icon="plus" title={texts.addFinding} onClick={onDivide} />}
        {onRemove && <Button kind="plain" icon="delete" title={texts.removeFinding} onClick={onRemove} />}
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
      <span>{texts.lot}</span>
      <input type="text" list={id} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
      <datalist id={id}>
        {lots?.map((lot) => (
          <option key={lot.lot_number} value={lot.lot_number} />
        ))}
      </datalist>
    </label>
  );
}
