import { patch, post } from "../../api/client.ts";
import type { MerchantRecord } from "../../api/merchants.ts";
import { useOpened } from "../../api/query.ts";
import { navigate, to } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import { type Editing, FieldError, type FormField } from "../../components/fields.tsx";
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
          sent: (code: string) => code.trim().toUpperCase(),
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
      <FieldError text={wrong} />
    </div>
  );
}

export function NewMerchantScreen() {
  const back = to("/settings/merchants");
  return (
    <Page title={texts.add} back={{ href: back, title: texts.title }} narrow>
      <Card>
        <Form
          fields={merchantFields(true)}
          submit={words.create}
          onCancel={() => navigate(back)}
          onSubmit={async (_values, key, body) => {
            const { data } = await post<MerchantRecord>("/merchants", body, { key });
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
            record={merchant}
            submit={words.save}
            unchanged={false}
            onCancel={() => navigate(back)}
            onSubmit={async (_values, key, body) => {
              await patch<MerchantRecord>(`/merchants/${merchant.id}`, body, { key, match: etag });
              showSuccess(texts.saved(merchant.name));
              navigate(back, { replace: true });
            }}
          />
        </Card>
      )}
    </Page>
  );
}
