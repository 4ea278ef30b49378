import { useState } from "preact/hooks";
import { patch, post, remove } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { AddressCheck, Customer } from "../../api/types.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { ActionMenu } from "../../components/menu.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { countryName } from "../../text/countries_and_units.ts";
import { customerTexts as texts } from "../../text/customers.ts";

/** The entries, with null for empty ones. */
const orNull = (values: FormValues) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === "" ? null : value]));

/** The address in a request: the entries without empty ones. */
function addressBody(entered: FormValues): FormValues {
  return Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== "" && value !== null));
}

type SavedAddress = Customer["shipping_addresses"][number];

const tones: Readonly<Record<keyof typeof texts.check, Tone>> = {
  verified: "good",
  warning: "warning",
  error: "bad",
  unverified: "neutral",
};

const linesOf = (
  it: Pick<SavedAddress, "address_line1" | "address_line2" | "city" | "state" | "postal_code" | "country">,
) =>
  [
    it.address_line1,
    it.address_line2,
    [it.city, it.state, it.postal_code].filter(Boolean).join(" "),
    countryName(it.country),
  ]
    .filter(Boolean)
    .join("\n");

interface AddressesProps {
  readonly customer: Customer;
  readonly etag: string | null;
}

/** The addresses of a customer, with the result of their checks. */
export function Addresses({ customer, etag }: AddressesProps) {
  const [open, setOpen] = useState<SavedAddress | "new" | null>(null);
  const { shipping_addresses: all } = customer;
  const add = may("customers.write") && <Button icon="plus" title={texts.addAddress} onClick={() => setOpen("new")} />;
  return (
    <Card title={texts.addresses} acts={add}>
      {all.length === 0 && <p class="muted">{texts.noAddress}</p>}
      <ul class="addresses">
        {all.map((address) => (
          <li key={address.id}>
            <One customer={customer} address={address} etag={etag} onChange={() => setOpen(address)} />
          </li>
        ))}
      </ul>
      {open && (
        <AddressDialog
          customer={customer}
          etag={etag}
          address={open === "new" ? null : open}
          onClose={() => setOpen(null)}
        />
      )}
    </Card>
  );
}

interface AddressCardProps extends AddressesProps {
  readonly address: SavedAddress;
  readonly onChange: () => void;
}

function One({ customer, address, etag, onChange }: AddressCardProps) {
  const { id, name, company, phone, is_default, verification } = address;
  const status = verification?.status ?? "unverified";
  const findings = [...(verification?.errors ?? []), ...(verification?.warnings ?? [])];
  const makeDefault = async () => {
    await patch(`/customers/${customer.id}/addresses/${id}`, { is_default: true }, { match: etag });
    showSuccess(texts.madeDefault);
  };
  const drop = () =>
    confirm({
      title: texts.removeTitle,
      text: texts.removeText,
      act: texts.removeAddress,
      danger: true,
      run: async () => {
        await remove(`/customers/${customer.id}/addresses/${id}`, { match: etag });
        showSuccess(texts.removed);
      },
    });
  return (
    <>
      <div class="address-lines">
        <strong>{name}</strong>
        {company && `\n${company}`}
        {`\n${linesOf(address)}`}
        {phone && `\n${phone}`}
      </div>
      <div class="address-state">
        {is_default && <Badge tone="info">{texts.default}</Badge>}
        <Badge tone={tones[status]}>{texts.check[status]}</Badge>
        {may("customers.write") && (
          <ActionMenu
            items={[
              { title: words.edit, icon: "edit", run: onChange },
              ...(is_default
                ? []
                : [
                    {
                      title: texts.makeDefault,
                      icon: "star" as const,
                      run: () => void makeDefault().catch(showRefused),
                    },
                  ]),
              { title: texts.removeAddress, icon: "delete", danger: true, run: drop },
            ]}
          />
        )}
      </div>
      {findings.length > 0 && (
        <ul class="address-findings">
          {findings.map(({ field, message }) => (
            <li key={`${field} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      {verification?.suggestion && <Suggestion customer={customer} address={address} etag={etag} />}
    </>
  );
}

function Suggestion({ customer, address, etag }: AddressesProps & { readonly address: SavedAddress }) {
  const suggested = address.verification?.suggestion;
  if (!suggested) return null;
  const path = `/customers/${customer.id}/addresses/${address.id}/accept_suggestion`;
  const take = () =>
    confirm({
      title: texts.takeTitle,
      text: (
        <>
          <p>{texts.takeText}</p>
          <p class="address-lines">{linesOf(suggested)}</p>
        </>
      ),
      act: texts.takeSuggestion,
      run: async () => {
        await post(path, {}, { match: etag });
        showSuccess(texts.suggestionTaken);
      },
    });
  return (
    <Notice kind="info">
      <p>{texts.suggestion}</p>
      <p class="address-lines">{linesOf(suggested)}</p>
      {may("customers.write") && <Button title={texts.takeSuggestion} onClick={() => void take()} />}
    </Notice>
  );
}

const fields: readonly FormField[] = [
  { kind: "address", name: "address", label: texts.address },
  { kind: "switch", name: "is_default", label: texts.isDefault },
];

const lines = [
  ...["name", "company", "address_line1", "address_line2", "city", "state", "postal_code", "country", "phone"],
] as readonly (keyof SavedAddress)[];

interface AddressDialogProps extends AddressesProps {
  readonly address: SavedAddress | null;
  readonly onClose: () => void;
}

/** A form for an address, which can be checked before it is saved. API errors appear next to each line. */
function AddressDialog({ customer, etag, address, onClose }: AddressDialogProps) {
  const entered = Object.fromEntries(lines.map((line) => [line, address?.[line] ?? ""]));
  const submit = async (values: FormValues, key: string) => {
    const entered = values["address"] as FormValues;
    const path = `/customers/${customer.id}/addresses`;
    const is_default = values["is_default"] === true;
    const sending = { key, match: etag };
    if (address === null) await post(path, { ...addressBody(entered), is_default }, sending);
    else await patch(`${path}/${address.id}`, { ...orNull(entered), ...(is_default ? { is_default } : {}) }, sending);
    showSuccess(texts.addressSaved);
  };
  return (
    <FormDialog
      title={address === null ? texts.newAddress : texts.editAddress}
      fields={fields}
      first={{ address: address === null ? { country: "US" } : entered, is_default: address?.is_default ?? false }}
      submit={words.save}
      onSubmit={(values, key) => submit(values, key).catch(belowAddress)}
      onClose={onClose}
    >
      {(values) => <Check entered={values["address"] as FormValues} />}
    </FormDialog>
  );
}

/** Moves API errors below `address`, where this form has the fields of the address. */
function belowAddress(error: unknown): never {
  if (typeof error === "object" && error !== null && "fields" in error) {
    const found = error as { fields: readonly { field: string; message: string }[] };
    found.fields = found.fields.map(({ field, message }) => ({ field: `address.${field}`, message }));
  }
  throw error;
}

function Check({ entered }: { readonly entered: FormValues }) {
  const [check, setCheck] = useState<{ readonly of: FormValues; readonly found: AddressCheck } | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    const { name: _name, company: _company, phone: _phone, ...address } = addressBody(entered);
    try {
      const { data } = await post<AddressCheck>("/addresses/verify", { address });
      setCheck({ of: entered, found: data });
    } catch (error) {
      showRefused(error);
    } finally {
      setBusy(false);
    }
  };
  const found = check?.of === entered ? check.found : null;
  const findings = [...(found?.errors ?? []), ...(found?.warnings ?? [])];
  return (
    <div class="address-check">
      <Button icon="done" title={busy ? texts.checking : texts.checkFirst} busy={busy} onClick={run} />
      {found && (
        <Notice kind={found.status === "error" ? "problem" : found.status === "verified" ? "done" : "warning"}>
          {findings.length === 0 && <p>{found.note ?? texts.checkOk}</p>}
          {findings.map(({ field, message }) => (
            <p key={`${field} ${message}`}>{message}</p>
          ))}
          {found.suggestion && (
            <p class="address-lines">
              {texts.suggestion}
              {`\n${linesOf(found.suggestion)}`}
            </p>
          )}
        </Notice>
      )}
    </div>
  );
}
