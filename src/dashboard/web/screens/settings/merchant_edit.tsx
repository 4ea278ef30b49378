import { patch, post } from "../../api/client.ts";
import type { MerchantRecord } from "../../api/merchants.ts";
import { useOpened } from "../../api/query.ts";
import { navigate, to } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import type { Editing, FormField, FormValues } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { merchantTexts as texts } from "../../text/merchants.ts";

const half = { width: "half" } as const;
const third = { width: "third" } as const;

/** The fields of a merchant. The code of an existing one cannot change. */
const merchantFields = (is_new: boolean): readonly FormField[] => [
  ...(is_new
    ? [
        {
          ...({ kind: "text", name: "code", label: texts.code, help: texts.codeHelp } as const),
          ...{ required: true, mono: true, focus: true },
        },
      ]
    : []),
  { kind: "text", name: "name", label: texts.name, required: true, focus: !is_new, ...half },
  { kind: "text", name: "legal_name", label: texts.legalName, ...half },
  {
    kind: "text",
    name: "currency",
    label: texts.currency,
    ...(is_new ? { help: texts.currencyHelp } : {}),
    mono: true,
    ...half,
  },
  { kind: "text", name: "timezone", label: texts.timezone, ...(is_new ? { help: texts.timezoneHelp } : {}), ...half },
  {
    ...({ kind: "custom", name: "colour", label: texts.colour, help: texts.colourHelp } as const),
    render: (editing) => <ColourField editing={editing} />,
  },
  { kind: "heading", name: "contact", label: texts.contact },
  { kind: "text", name: "contact.name", label: texts.contactName, ...third },
  { kind: "text", type: "email", name: "contact.email", label: texts.contactEmail, ...third },
  { kind: "text", type: "tel", name: "contact.phone", label: texts.contactPhone, ...third },
  { kind: "heading", name: "shipping", label: texts.shipping },
  { kind: "text", name: "ship_from_name", label: texts.shipFrom, help: texts.shipFromHelp },
  { kind: "switch", name: "may_buy_labels", label: texts.mayBuyLabels, help: texts.mayBuyLabelsHelp },
  { kind: "address", name: "return_address", label: texts.returnAddress, help: texts.returnAddressHelp },
];

function ColourField({ editing: { id, value, set, problem } }: { readonly editing: Editing }) {
  const colour = String(value ?? "");
  const wrong = problem();
  return (
    <div class="row">
      <input
        id={id}
        type="color"
        name="colour"
        class="colour-field"
        aria-label={texts.colour}
        value={colour === "" ? texts.firstColour : colour}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {colour === "" ? <span class="muted">{texts.noColour}</span> : <code>{colour}</code>}
      {colour !== "" && <Button kind="plain" icon="close" title={words.remove} onClick={() => set("")} />}
      {wrong && (
        <p class="field-wrong" role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}

/** The initial values of a new merchant. */
const newMerchant: FormValues = {
  ...{ code: "", name: "", legal_name: "", currency: "", timezone: "", colour: "" },
  ...{ "contact.name": "", "contact.email": "", "contact.phone": "" },
  ...{ ship_from_name: "", may_buy_labels: false, return_address: {} },
};

/** The form values of a merchant. */
const valuesOf = (merchant: MerchantRecord): FormValues => ({
  name: merchant.name,
  legal_name: merchant.legal_name ?? "",
  currency: merchant.currency,
  timezone: merchant.timezone,
  colour: merchant.colour ?? "",
  "contact.name": merchant.contact?.name ?? "",
  "contact.email": merchant.contact?.email ?? "",
  "contact.phone": merchant.contact?.phone ?? "",
  ship_from_name: merchant.ship_from_name ?? "",
  may_buy_labels: merchant.may_buy_labels,
  return_address: Object.fromEntries(
    Object.entries(merchant.return_address ?? {}).map(([name, value]) => [name, value ?? ""]),
  ),
});

const filled = (values: FormValues) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));

/** The request body of the entries. A new merchant uses the operator's values for omitted fields. */
function bodyOf(values: FormValues) {
  const { currency, timezone, return_address, may_buy_labels, name, code } = values;
  const { "contact.name": called, "contact.email": email, "contact.phone": phone } = values;
  const contact = filled({ name: called, email, phone });
  const address = filled(return_address as FormValues);
  const orNull = (field: string) => (values[field] === "" ? null : values[field]);
  return {
    ...(code === undefined ? {} : { code: String(code).trim().toUpperCase() }),
    name,
    may_buy_labels,
    legal_name: orNull("legal_name"),
    colour: orNull("colour"),
    ship_from_name: orNull("ship_from_name"),
    contact: Object.keys(contact).length === 0 ? null : contact,
    // The form starts with a country only, which is not an address.
    return_address: Object.keys(address).some((part) => part !== "country") ? address : null,
    ...filled({ currency, timezone }),
  };
}

export function NewMerchantScreen() {
  const back = to("/settings/merchants");
  return (
    <Page title={texts.add} back={{ href: back, title: texts.title }} narrow>
      <Card>
        <Form
          fields={merchantFields(true)}
          first={newMerchant}
          submit={words.create}
          onCancel={() => navigate(back)}
          onSubmit={async (values, key) => {
            const { data } = await post<MerchantRecord>("/merchants", bodyOf(values), { key });
            showSuccess(texts.created_(data.name));
            navigate(to(`/settings/merchants/${data.id}`), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}

/** Edits a merchant. Refused if someone else edited it since it was opened. */
export function EditMerchantScreen({ params }: ScreenProps) {
  const { data: merchant, etag, problem, loading } = useOpened<MerchantRecord>(`/merchants/${params["id"]}`);
  const back = to(`/settings/merchants/${params["id"]}`);
  if (loading) return <Skeleton />;
  return (
    <Page title={texts.edit} back={{ href: back, title: merchant?.name ?? texts.one }} narrow>
      {problem && <Notice problem={problem} />}
      {merchant && (
        <Card>
          <Form
            fields={merchantFields(false)}
            first={valuesOf(merchant)}
            submit={words.save}
            unchanged={false}
            onCancel={() => navigate(back)}
            onSubmit={async (values, key) => {
              await patch<MerchantRecord>(`/merchants/${merchant.id}`, bodyOf(values), { key, match: etag });
              showSuccess(texts.saved(merchant.name));
              navigate(back, { replace: true });
            }}
          />
        </Card>
      )}
    </Page>
  );
}
