import { useState } from "preact/hooks";
import { get } from "../api/client.ts";
import type { Customer, Product } from "../api/types.ts";
import { words } from "../texts/common.ts";
import { type Choice, Combobox } from "./combobox.tsx";
import type { Editing, Field } from "./fields.tsx";

/** The display name of a customer. */
export function customerName({ first_name, last_name, company, email, erased_at }: Customer): string {
  if (erased_at !== null) return words.erasedCustomer;
  return [first_name, last_name].filter(Boolean).join(" ") || company || email;
}

interface PickerProps<Thing> {
  readonly label: string;
  readonly shown: string;
  readonly onPick: (thing: Thing | null) => void;
  readonly id?: string;
  readonly disabled?: boolean;
  readonly invalid?: boolean;
  readonly many?: boolean;
}

interface ProductPickerProps extends PickerProps<Product> {
  /** The code of the merchant of whom it is; by default that of the page. */
  readonly merchant?: string | undefined;
}

const few = 12;

/** Chooses a product by SKU, name or bar code. The value is its SKU. */
export function ProductPicker({ onPick, merchant, ...props }: ProductPickerProps) {
  // What was found stands until it is picked, however often this is drawn in between.
  const [known] = useState(() => new Map<string, Product>());
  const find = async (q: string, signal: AbortSignal): Promise<Choice[]> => {
    const { data } = await get<readonly Product[]>("/products", {
      params: { q, status: "active", limit: few },
      signal,
      merchant,
    });
    for (const product of data) known.set(product.sku, product);
    return data.map(({ sku, name }) => ({ value: sku, title: name, note: sku }));
  };
  const pick = (choice: Choice | null) => onPick(choice === null ? null : (known.get(choice.value) ?? null));
  return <Combobox {...props} placeholder={words.pickProduct} find={find} onPick={pick} />;
}

/** A line of a form with a product and a quantity. */
export interface PickedLine {
  readonly sku: string;
  readonly name?: string;
  readonly quantity: string;
}

interface LinesSettings {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly when?: Field["when"];
}

/** A form field with products and quantities, such as the parts of a set. */
export function productLines({ name, label, help, when }: LinesSettings): Field {
  const settings = { ...(help === undefined ? {} : { help }), ...(when === undefined ? {} : { when }) };
  return { kind: "custom", name, label, ...settings, render: (editing) => <ProductLines {...editing} label={label} /> };
}

function ProductLines({ value, set, problem, id, label }: Editing & { readonly label: string }) {
  const lines = (value ?? []) as readonly PickedLine[];
  const change = (at: number, part: Partial<PickedLine>) =>
    set(lines.map((line, index) => (index === at ? { ...line, ...part } : line)));
  const add = (product: Product | null) => {
    if (product === null) return;
    const at = lines.findIndex(({ sku }) => sku === product.sku);
    if (at >= 0) change(at, { quantity: String(Number(lines[at]?.quantity ?? 0) + 1) });
    else set([...lines, { sku: product.sku, name: product.name, quantity: "1" }]);
  };
  const own = problem();
  return (
    <div class="product-lines">
      {lines.map(({ sku, name, quantity }, at) => {
        const wrong = problem(`[${at}].quantity`) ?? problem(`[${at}].sku`) ?? problem(`[${at}]`);
        return (
          <div key={sku} class="product-line">
            <span class="product-line-name">
              {name ?? sku}
              {name && <code>{sku}</code>}
            </span>
            <input
              type="text"
              inputMode="numeric"
              aria-label={`${words.quantity} ${sku}`}
              aria-invalid={wrong ? true : undefined}
              aria-describedby={wrong ? `${id}-${at}` : undefined}
              value={quantity}
              onInput={(event) => change(at, { quantity: event.currentTarget.value })}
            />
            <button
              type="button"
              class="button plain icon-only"
              aria-label={`${words.remove} ${sku}`}
              onClick={() => set(lines.filter((_, index) => index !== at))}
            >
              ×
            </button>
            {wrong && (
              <p id={`${id}-${at}`} class="field-wrong" role="alert">
                {wrong}
              </p>
            )}
          </div>
        );
      })}
      <ProductPicker label={`${label}: ${words.pickProduct}`} shown="" onPick={add} many />
      {own && (
        <p class="field-wrong" role="alert">
          {own}
        </p>
      )}
    </div>
  );
}
