import { useState } from "preact/hooks";
import { patch, post } from "../../api/client.ts";
import type { AddressCheck, Customer } from "../../api/types.ts";
import { type Action, ActionButton, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { showRefused } from "../../components/toasts.tsx";
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
  const { shipping_addresses: all } = customer;
  return (
    <Card title={texts.addresses} acts={<ActionButton of={enterAddress(customer, etag, null)} />}>
      {all.length === 0 && <p class="muted">{texts.noAddress}</p>}
      <ul class="addresses">
        {all.map((address) => (
          <li key={address.id}>
            <One customer={customer} address={address} etag={etag} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface AddressProps extends AddressesProps {
  readonly address: SavedAddress;
}

function addressActions({ customer, address, etag }: AddressProps): readonly Action[] {
  const own = `/customers/${customer.id}/addresses/${address.id}`;
  const common = { permission: "customers.write", match: etag } as const;
  return [
    enterAddress(customer, etag, address),
    {
      title: texts.makeDefault,
      icon: "star",
      ...common,
      when: !address.is_default,
      done: texts.madeDefault,
      call: { method: "PATCH", path: own, body: { is_default: true } },
    },
    {
      title: words.remove,
      icon: "delete",
      danger: true,
      ...common,
      done: texts.removed,
      ask: { title: texts.removeTitle, text: texts.removeText },
      call: { method: "DELETE", path: own },
    },
  ];
}

function One(props: AddressProps) {
  const { address } = props;
  const { name, company, phone, is_default, verification } = address;
  const status = verification?.status ?? "unverified";
  const findings = [...(verification?.errors ?? []), ...(verification?.warnings ?? [])];
  return (
    <>
      <div class="address-lines">
        <strong>{name ?? company ?? texts.nameless}</strong>
        {name && company && `\n${company}`}
        {`\n${linesOf(address)}`}
        {phone && `\n${phone}`}
      </div>
      <div class="address-state">
        {is_default && <Badge tone="info">{texts.default}</Badge>}
        <Badge of="address" state={status} />
        <Actions of={addressActions(props)} />
      </div>
      {findings.length > 0 && (
        <ul class="address-findings">
          {findings.map(({ field, message }) => (
            <li key={`${field} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      {verification?.suggestion && <Suggestion {...props} />}
    </>
  );
}

function Suggestion({ customer, address, etag }: AddressProps) {
  const suggested = address.verification?.suggestion;
  if (!suggested) return null;
  const take: Action = {
    title: texts.takeSuggestion,
    permission: "customers.write",
    match: etag,
    done: texts.suggestionTaken,
    ask: {
      title: texts.takeTitle,
      text: (
        <>
          <p>{texts.takeText}</p>
          <p class="address-lines">{linesOf(suggested)}</p>
        </>
      ),
    },
    call: { method: "POST", path: `/customers/${customer.id}/addresses/${address.id}/accept_suggestion` },
  };
  return (
    <Notice kind="info">
      <p>{texts.suggestion}</p>
      <p class="address-lines">{linesOf(suggested)}</p>
      <ActionButton of={take} />
    </Notice>
  );
}

const fields: readonly FormField[] = [
  { kind: "address", name: "address", label: words.address },
  { kind: "switch", name: "is_default", label: texts.isDefault },
];

const lines = [
  ...["name", "company", "address_line1", "address_line2", "city", "state", "postal_code", "country", "phone"],
] as readonly (keyof SavedAddress)[];

/** Enters an address, which can be checked before it is saved. API errors appear next to each line. */
function enterAddress({ id }: Customer, etag: string | null, address: SavedAddress | null): Action {
  const before = Object.fromEntries(lines.map((line) => [line, address?.[line] ?? ""]));
  const path = `/customers/${id}/addresses`;
  return {
    ...(address === null ? { title: texts.addAddress, icon: "plus" } : { title: words.edit, icon: "edit" }),
    permission: "customers.write",
    match: etag,
    ask: {
      title: address === null ? texts.newAddress : texts.editAddress,
      fields,
      first: { address: address === null ? { country: "US" } : before, is_default: address?.is_default ?? false },
      submit: words.save,
      preview: (values) => <Check entered={values["address"] as FormValues} />,
    },
    run: async (values, key) => {
      const entered = values["address"] as FormValues;
      const is_default = values["is_default"] === true;
      const sending = { key, match: etag };
      const saved =
        address === null
          ? post(path, { ...addressBody(entered), is_default }, sending)
          : patch(`${path}/${address.id}`, { ...orNull(entered), ...(is_default ? { is_default } : {}) }, sending);
      return await saved.catch(belowAddress);
    },
    done: texts.addressSaved,
  };
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
