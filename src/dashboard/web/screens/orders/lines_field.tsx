import { useRef } from "preact/hooks";
import { useQuery } from "../../api/query.ts";
import type { ProductRecord } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { type Editing, FieldError, type FormField } from "../../components/fields.tsx";
import { Finder } from "../../components/finder.tsx";
import { findProducts } from "../../components/pickers.tsx";
import { words as common } from "../../text/common.ts";
import { money } from "../../text/format.ts";
import { entryTexts as texts } from "../../text/order_entry.ts";

/** The entries of a line. */
interface EnteredLine {
  readonly sku: string;
  readonly name: string;
  readonly quantity: string;
  readonly unit_price: string;
  /** Units that are already reserved for the order. */
  readonly held?: number;
}

/** The lines of a request. */
export function lineItems(value: unknown) {
  return (value as readonly EnteredLine[]).map(({ sku, quantity, unit_price }) => ({
    sku,
    quantity: Number(quantity),
    unit_price: unit_price.trim() === "" ? "0" : unit_price.trim(),
  }));
}

/** Whether each line has a valid quantity and price. */
export const areComplete = (value: unknown) => {
  const lines = value as readonly EnteredLine[];
  return (
    lines.length > 0 &&
    lines.every(({ quantity, unit_price }) => Number(quantity) >= 1 && !Number.isNaN(Number(unit_price)))
  );
};

/** The field for the lines of an order. */
export const linesField: FormField = {
  kind: "custom",
  name: "line_items",
  label: common.items,
  render: (editing) => <Lines editing={editing} />,
};

function Lines({ editing }: { readonly editing: Editing }) {
  const { set, problem, values, id } = editing;
  const lines = editing.value as readonly EnteredLine[];
  const finder = useRef<HTMLInputElement>(null);
  const currency = String(values["currency"] ?? "USD");
  const change = (at: number, changes: Partial<EnteredLine>) =>
    set(lines.map((line, place) => (place === at ? { ...line, ...changes } : line)));
  const focusQuantity = (sku: string) =>
    requestAnimationFrame(() => {
      const field = document.getElementById(`${id}-quantity-${sku}`) as HTMLInputElement | null;
      field?.focus();
      field?.select();
    });
  const add = ({ sku, name, price }: ProductRecord) => {
    if (!lines.some((line) => line.sku === sku)) {
      set([...lines, { sku, name, quantity: "1", unit_price: price === null ? "0" : String(price) }]);
    }
    focusQuantity(sku);
  };
  const total = lines.reduce((sum, { quantity, unit_price }) => sum + Number(quantity) * Number(unit_price), 0);
  return (
    <div class="entry-lines">
      {lines.length > 0 && (
        <ul class="entry-list">
          {lines.map((line, at) => (
            <Line
              key={line.sku}
              line={line}
              id={id}
              currency={currency}
              wrong={["quantity", "unit_price", "sku", "product_id"].flatMap(
                (name) => problem(`[${at}].${name}`) ?? [],
              )}
              change={(changes) => change(at, changes)}
              onRemove={() => set(lines.filter((_, place) => place !== at))}
              onDone={() => finder.current?.focus()}
            />
          ))}
        </ul>
      )}
      <div class="entry-add">
        <Finder
          label={texts.findProduct}
          placeholder={texts.findProduct}
          field={finder}
          find={(q, signal) => findProducts(q, signal)}
          id={({ id }) => id}
          item={(product) => (
            <>
              <code>{product.sku}</code> {product.name}{" "}
              <span class="muted">{money(product.price, product.currency)}</span>
            </>
          )}
          onChoose={add}
          invalid={problem() !== undefined}
        />
        <b class="entry-total">{Number.isNaN(total) ? "" : money(total, currency)}</b>
      </div>
      <FieldError text={problem()} />
    </div>
  );
}

interface EntryLineProps {
  readonly line: EnteredLine;
  readonly id: string;
  readonly currency: string;
  readonly wrong: readonly string[];
  readonly change: (changes: Partial<EnteredLine>) => void;
  readonly onRemove: () => void;
  readonly onDone: () => void;
}

function Line({ line, id, currency, wrong, change, onRemove, onDone }: EntryLineProps) {
  const { sku, name, quantity, unit_price } = line;
  const invalid = wrong.length > 0 ? true : undefined;
  // Enter moves to the next item; Ctrl+Enter saves the form.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onDone();
  };
  return (
    <li>
      <span class="entry-name">
        <code>{sku}</code> {name}
        <Available sku={sku} wanted={Number(quantity)} held={line.held ?? 0} />
      </span>
      <input
        id={`${id}-quantity-${sku}`}
        class="entry-quantity"
        type="text"
        inputMode="numeric"
        aria-label={texts.quantityOf(sku)}
        aria-invalid={invalid}
        value={quantity}
        onInput={(event) => change({ quantity: event.currentTarget.value.replace(/\D/g, "") })}
        onKeyDown={onKeyDown}
      />
      <span class="with-unit entry-price">
        <input
          type="text"
          inputMode="decimal"
          aria-label={texts.priceOf(sku)}
          aria-invalid={invalid}
          value={unit_price}
          onInput={(event) => change({ unit_price: event.currentTarget.value })}
          onKeyDown={onKeyDown}
        />
        <span class="unit">{currency}</span>
      </span>
      <span class="entry-sum">{money(Number(quantity) * Number(unit_price) || 0, currency)}</span>
      <Button kind="plain" icon="close" iconOnly title={texts.remove(sku)} onClick={onRemove} />
      {wrong.map((words) => (
        <p key={words} class="field-wrong" role="alert">
          {words}
        </p>
      ))}
    </li>
  );
}

/** The available units of a SKU, shown while its quantity is entered. */
function Available({ sku, wanted, held }: Readonly<Record<"wanted" | "held", number>> & { readonly sku: string }) {
  const { data } = useQuery<{ readonly available: number }>(`/inventory/${encodeURIComponent(sku)}`);
  if (data === undefined) return null;
  const available = data.available + held;
  const short = available < wanted;
  return (
    <small class={short ? "entry-short" : "muted"}>{short ? texts.short(available) : texts.available(available)}</small>
  );
}
