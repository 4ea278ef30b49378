// The form field for the merchant of a new record.
import { useEffect, useId } from "preact/hooks";
import { mustName, openMerchants } from "../api/merchants.ts";
import { merchantOfPage, page_merchant, setQuery } from "../browser/router.ts";
import { merchantTexts as texts } from "../text/merchants.ts";
import { type Editing, FieldError, type FormField, type FormValues, type Option, Select } from "./fields.tsx";

const name = "merchant_id";

/** The merchant is not part of the request body. */
const unsent = () => undefined;

/** Merchants as options; by default all that are not closed. */
export const merchantOptions = (all = openMerchants.value): readonly Option[] =>
  all.map(({ code, name }) => ({ value: code, title: texts.option(code, name) }));

/** The field for a dialog, or none if the tab shows one merchant. Requests take the merchant from `merchantIn`. */
export function merchantChoice(settings: { readonly or_operator?: boolean } = {}): readonly FormField[] {
  if (!mustName.value) return [];
  const choice = { kind: "select", name, label: texts.merchant, options: merchantOptions(), sent: unsent } as const;
  if (settings.or_operator) return [{ ...choice, help: texts.operatorHelp, empty: texts.forOperator }];
  return [{ ...choice, required: true, empty: texts.choose }];
}

/** The merchant chosen in a dialog; undefined for the page's merchant. */
export const merchantIn = (values: FormValues): string | undefined => String(values[name] ?? "") || undefined;

/** The entries without the merchant, which is not part of the request body. */
export function withoutMerchant({ [name]: _merchant, ...values }: FormValues): FormValues {
  return values;
}

/**
 * Adds the field to a page's form, unless the tab shows one merchant. All requests of the page then use the chosen
 * merchant. The other fields appear once it is chosen, because their options may depend on it.
 */
export function withMerchantField(fields: readonly FormField[]): readonly FormField[] {
  if (!mustName.value) return fields;
  const own: FormField = {
    kind: "custom",
    name,
    label: "",
    required: true,
    sent: unsent,
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

/** The merchant choice of a page without a form. Renders nothing if the tab shows one merchant. */
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
      <Select
        id={id}
        name={name}
        value={value}
        aria-required
        aria-invalid={wrong ? true : undefined}
        aria-describedby={wrong ? `${id}-wrong` : undefined}
        options={merchantOptions()}
        empty={texts.choose}
        onChoose={onChange}
      />
      <FieldError id={`${id}-wrong`} text={wrong} />
    </div>
  );
}
