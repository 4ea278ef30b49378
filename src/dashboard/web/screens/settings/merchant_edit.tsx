import { post } from "../../api/client.ts";
import type { MerchantRecord } from "../../api/merchants.ts";
import { Button } from "../../components/button.tsx";
import { type Editing, FieldError, type FormField } from "../../components/fields.tsx";
import { editScreen, NewRecordPage } from "../../components/record_forms.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { words } from "../../text/common.ts";
import { merchantTexts as texts } from "../../text/merchants.ts";

const half = { width: "half" } as const;
const third = { width: "third" } as const;

/** The fields of a merchant. The code of an existing one cannot change. */
const merchantFields = (is_new: boolean): readonly FormField[] => [
  ...(is_new
    ? [
        {
          kind: "text" as const,
          name: "code",
          label: words.code,
          help: texts.codeHelp,
          required: true,
          mono: true,
          focus: true,
          sent: (code: string) => code.trim().toUpperCase(),
        },
      ]
    : []),
  { kind: "text", name: "name", label: words.name, required: true, focus: !is_new, ...half },
  { kind: "text", name: "legal_name", label: texts.legalName, ...half },
  {
    kind: "text",
    name: "currency",
    label: texts.currency,
    ...(is_new ? { help: texts.currencyHelp } : {}),
    mono: true,
    blank: undefined,
    ...half,
  },
  {
    kind: "text",
    name: "timezone",
    label: texts.timezone,
    ...(is_new ? { help: texts.timezoneHelp } : {}),
    blank: undefined,
    ...half,
  },
  {
    kind: "custom",
    name: "color",
    label: texts.color,
    help: texts.colorHelp,
    render: (editing) => <ColorField editing={editing} />,
  },
  { kind: "heading", name: "contact", label: texts.contact },
  { kind: "text", name: "contact.name", label: words.name, ...third },
  { kind: "text", type: "email", name: "contact.email", label: words.email, ...third },
  { kind: "text", type: "tel", name: "contact.phone", label: texts.contactPhone, ...third },
  { kind: "heading", name: "shipping", label: words.shipping },
  { kind: "text", name: "ship_from_name", label: texts.shipFrom, help: texts.shipFromHelp },
  { kind: "switch", name: "may_buy_labels", label: texts.mayBuyLabels, help: texts.mayBuyLabelsHelp },
  { kind: "switch", name: "shared_waves", label: texts.sharedWaves, help: texts.sharedWavesHelp },
  { kind: "address", name: "return_address", label: texts.returnAddress, help: texts.returnAddressHelp },
];

function ColorField({ editing: { id, value, set, problem } }: { readonly editing: Editing }) {
  const color = String(value ?? "");
  const wrong = problem();
  return (
    <div class="row">
      <input
        id={id}
        type="color"
        name="color"
        class="color-field"
        aria-label={texts.color}
        value={color === "" ? texts.firstColor : color}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {color === "" ? <span class="muted">{texts.noColor}</span> : <code>{color}</code>}
      {color !== "" && <Button kind="plain" icon="close" title={words.remove} onClick={() => set("")} />}
      <FieldError text={wrong} />
    </div>
  );
}

export function NewMerchantScreen(props: ScreenProps) {
  return (
    <NewRecordPage<MerchantRecord>
      {...props}
      of_operator
      fields={merchantFields(true)}
      first={{ shared_waves: true }}
      create={(_values, key, body) => post("/merchants", body, { key })}
      done={({ name }) => texts.created_(name)}
      opens={({ id }) => `/settings/merchants/${id}`}
    />
  );
}

export const EditMerchantScreen = editScreen<MerchantRecord>("/merchants/:id", {
  fields: merchantFields(false),
  name: ({ name }) => name,
  done: ({ name }) => texts.saved(name),
});
