// The field by which a form says for whom something is made.
import { useEffect, useId } from "preact/hooks";
import { mustName, openMerchants } from "../api/merchants.ts";
import { merchantOfPage, page_merchant, setQuery } from "../browser/router.ts";
import { merchantTexts as texts } from "../text/merchants.ts";
import type { Editing, FormField, FormValues, Option } from "./fields.tsx";

const name = "merchant_id";

const options = (): readonly Option[] =>
  openMerchants.value.map((one) => ({ value: one.code, title: texts.option(one.code, one.name) }));

/** The field for a dialog, whose requests name the merchant by `merchantIn`; none where one is chosen already. */
export function merchantChoice(settings: { readonly or_house?: boolean } = {}): readonly FormField[] {
  if (!mustName.value) return [];
  const choice = { kind: "select", name, label: texts.merchant, options: options() } as const;
  if (settings.or_house) return [{ ...choice, help: texts.operatorHelp, empty: texts.forOperator }];
  return [{ ...choice, required: true, empty: texts.choose }];
}

/** The merchant that was chosen in a dialog, for the request; undefined for that of the page. */
export const merchantIn = (values: FormValues): string | undefined => String(values[name] ?? "") || undefined;

/** The entries without that of the merchant, which goes with the request and not in its body. */
export function withoutMerchant({ [name]: _merchant, ...values }: FormValues): FormValues {
  return values;
}

/**
 * The field for a page: from then on all requests of the page are about that merchant. None where the tab shows one
 * merchant. The fields below it, which may show what is the merchant's, wait until it is chosen.
 */
export function withMerchantField(fields: readonly FormField[]): readonly FormField[] {
  if (!mustName.value) return fields;
  const own: FormField = {
    kind: "custom",
    name,
    label: "",
    required: true,
    render: (it) => <PageChoice editing={it} />,
  };
  const isChosen = (values: FormValues) => (values[name] ?? "") !== "";
  return [
    own,
    ...fields.map((field) => ({ ...field, when: (it: FormValues) => isChosen(it) && (field.when?.(it) ?? true) })),
  ];
}

function PageChoice({ editing: { value, set, problem } }: { readonly editing: Editing }) {
  const chosen = String(value ?? "");
  useEffect(() => {
    if (chosen === "" && merchantOfPage.peek() !== null) set(merchantOfPage.peek());
    else setQuery({ [page_merchant]: chosen });
  }, [chosen]);
  return <MerchantChoice value={chosen} onChange={set} wrong={problem()} />;
}

/** Chooses the merchant that a page without a form is about; nothing where the tab shows one merchant. */
export function PageMerchant() {
  if (!mustName.value) return null;
  return <MerchantChoice value={merchantOfPage.value ?? ""} onChange={(code) => setQuery({ [page_merchant]: code })} />;
}

interface MerchantChoiceProps {
  readonly value: string;
  readonly onChange: (code: string) => void;
  readonly wrong?: string | undefined;
}

function MerchantChoice({ value, onChange, wrong }: MerchantChoiceProps) {
  const id = useId();
  return (
    <div class="field select">
      <label for={id}>{texts.merchant}</label>
      <select
        id={id}
        name={name}
        value={value}
        aria-required
        aria-invalid={wrong ? true : undefined}
        aria-describedby={wrong ? `${id}-wrong` : undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">{texts.choose}</option>
        {options().map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
      {wrong && (
        <p id={`${id}-wrong`} class="field-wrong" role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}
