import { useEffect, useId, useRef, useState } from "preact/hooks";
import { get } from "../api/client.ts";
import type { Customer, ProductRecord } from "../api/types.ts";
import { words } from "../text/common.ts";
import type { Editing, FormField } from "./fields.tsx";
import { Icon } from "./icon.tsx";

/** An item to choose. */
interface ComboboxOption {
  readonly value: string;
  readonly title: string;
  readonly note?: string;
}

interface ComboboxProps {
  /** The label of the field. */
  readonly label: string;
  /** The title of the chosen item; empty without one. */
  readonly shown: string;
  readonly find: (typed: string, signal: AbortSignal) => Promise<readonly ComboboxOption[]>;
  /** Called with null when the chosen item is removed. */
  readonly onPick: (choice: ComboboxOption | null) => void;
  readonly id?: string;
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly invalid?: boolean;
  readonly described?: string;
  /** Clears the field after each choice, to choose several items. */
  readonly many?: boolean;
}

function useChoices(find: ComboboxProps["find"], typed: string | null) {
  const [found, setFound] = useState<readonly ComboboxOption[] | null>(null);
  useEffect(() => {
    if (typed === null) return setFound(null);
    const aborting = new AbortController();
    const timer = setTimeout(
      () =>
        find(typed.trim(), aborting.signal).then(
          (all) => !aborting.signal.aborted && setFound(all),
          () => !aborting.signal.aborted && setFound([]),
        ),
      typed === "" ? 0 : 120,
    );
    return () => {
      clearTimeout(timer);
      aborting.abort();
    };
  }, [typed]);
  return found;
}

/** A search field that offers matches to choose from, by mouse or by arrow keys, Enter and Esc. */
function Combobox(props: ComboboxProps) {
  const { label, shown, find, onPick, invalid, many } = props;
  const own = useId();
  const id = props.id ?? own;
  const field = useRef<HTMLInputElement>(null);
  // The typed text; null while the list is closed.
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const found = useChoices(find, typed);
  const open = typed !== null && found !== null;
  useEffect(() => setAt(0), [found]);
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" }), [at, open]);
  const pick = (choice: ComboboxOption | undefined) => {
    if (choice === undefined) return;
    setTyped(null);
    onPick(choice);
    if (many && field.current) field.current.value = "";
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const all = found ?? [];
    if (step !== undefined && typed === null) setTyped("");
    else if (step !== undefined) setAt((all.length + at + step) % Math.max(1, all.length));
    else if (event.key === "Enter" && open) pick(all[at]);
    else if (event.key === "Escape" && typed !== null) setTyped(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="combobox">
      <input
        ref={field}
        id={id}
        type="text"
        role="combobox"
        aria-label={props.id === undefined ? label : undefined}
        aria-expanded={open}
        aria-controls={open ? `${id}-list` : undefined}
        aria-autocomplete="list"
        aria-activedescendant={open && found.length > 0 ? `${id}-${at}` : undefined}
        aria-invalid={invalid || undefined}
        aria-describedby={props.described}
        autocomplete="off"
        spellcheck={false}
        placeholder={props.placeholder}
        disabled={props.disabled}
        value={typed ?? shown}
        onInput={({ currentTarget: { value } }) => {
          setTyped(value);
          if (value === "" && shown !== "") onPick(null);
        }}
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => typed === null && setTyped("")}
        onBlur={() => setTyped(null)}
        onKeyDown={onKeyDown}
      />
      <Icon name="down" />
      {open && <ComboboxMatches id={id} label={label} found={found} at={at} onAt={setAt} onPick={pick} />}
    </div>
  );
}

interface ComboboxMatchesProps {
  readonly id: string;
  readonly label: string;
  readonly found: readonly ComboboxOption[];
  readonly at: number;
  readonly onAt: (index: number) => void;
  readonly onPick: (choice: ComboboxOption) => void;
}

function ComboboxMatches({ id, label, found, at, onAt, onPick }: ComboboxMatchesProps) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label={label} class="combobox-list">
      {found.map((choice, index) => (
        <div
          key={choice.value}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onMouseMove={() => onAt(index)}
          // Runs before the field loses focus, which closes the list.
          onMouseDown={(event) => {
            event.preventDefault();
            onPick(choice);
          }}
        >
          <span>{choice.title}</span>
          {choice.note && <small>{choice.note}</small>}
        </div>
      ))}
      {found.length === 0 && (
        <div role="option" aria-disabled="true" aria-selected="false" class="combobox-nothing">
          {words.nothingFound}
        </div>
      )}
    </div>
  );
}

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

interface ProductPickerProps extends PickerProps<ProductRecord> {
  /** The merchant's code; by default that of the page. */
  readonly merchant?: string | undefined;
}

const few = 12;

/** Chooses a product by SKU, name or barcode. The value is its SKU. */
export function ProductPicker({ onPick, merchant, ...props }: ProductPickerProps) {
  // Results stay known until one is picked, across renders.
  const [known] = useState(() => new Map<string, ProductRecord>());
  const find = async (q: string, signal: AbortSignal): Promise<ComboboxOption[]> => {
    const { data } = await get<readonly ProductRecord[]>("/products", {
      params: { q, status: "active", limit: few },
      signal,
      merchant,
    });
    for (const product of data) known.set(product.sku, product);
    return data.map(({ sku, name }) => ({ value: sku, title: name, note: sku }));
  };
  const pick = (choice: ComboboxOption | null) => onPick(choice === null ? null : (known.get(choice.value) ?? null));
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
