import { get } from "../api/client.ts";
import type { Customer, ProductRecord } from "../api/types.ts";
import { words } from "../text/common.ts";
import { type Editing, FieldError, type FormField } from "./fields.tsx";
import { Finder } from "./finder.tsx";

/** The display name of a customer. */
export function customerName({ first_name, last_name, company, email, erased_at }: Customer): string {
  if (erased_at !== null) return words.erasedCustomer;
  return [first_name, last_name].filter(Boolean).join(" ") || company || email;
}

/** The products that match a text by SKU, name or barcode. `merchant` is a code; by default the page's merchant. */
export async function findProducts(q: string, signal: AbortSignal, merchant?: string) {
  const params = { q, status: "active", limit: 12 };
  return (await get<readonly ProductRecord[]>("/products", { params, signal, merchant })).data;
}

interface ProductPickerProps {
  readonly id?: string;
  readonly label: string;
  /** The SKU of the chosen product; empty without one. */
  readonly shown: string;
  readonly onPick: (product: ProductRecord | null) => void;
  readonly invalid?: boolean;
  readonly merchant?: string | undefined;
}

/** Chooses a product. */
export function ProductPicker({ id, onPick, merchant, ...props }: ProductPickerProps) {
  return (
    <Finder
      {...props}
      field_id={id}
      placeholder={words.pickProduct}
      suggests
      find={(q, signal) => findProducts(q, signal, merchant)}
      id={(product) => product.id}
      item={({ sku, name }) => (
        <>
          <code>{sku}</code> {name}
        </>
      )}
      onChoose={onPick}
      onClear={() => onPick(null)}
    />
  );
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
  readonly when?: FormField["when"];
}

/** A form field with products and quantities, such as the components of a bundle. */
export function productLines({ name, label, help, when }: LinesSettings): FormField {
  const settings = { ...(help === undefined ? {} : { help }), ...(when === undefined ? {} : { when }) };
  return { kind: "custom", name, label, ...settings, render: (editing) => <ProductLines {...editing} label={label} /> };
}

function ProductLines({ value, set, problem, id, label }: Editing & { readonly label: string }) {
  const lines = (value ?? []) as readonly PickedLine[];
  const change = (at: number, part: Partial<PickedLine>) =>
    set(lines.map((line, index) => (index === at ? { ...line, ...part } : line)));
  const add = (product: ProductRecord | null) => {
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
            <FieldError id={`${id}-${at}`} text={wrong} />
          </div>
        );
      })}
      <ProductPicker label={`${label}: ${words.pickProduct}`} shown="" onPick={add} />
      <FieldError text={own} />
    </div>
  );
}
