import { useEffect } from "preact/hooks";
import { get, post } from "../../api/client.ts";
import type { AddressCheck as AddressVerdict, Customer, CustomerAddress } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import {
  type Editing,
  FieldError,
  FieldRow,
  type FormField,
  type FormValues,
  Select,
} from "../../components/fields.tsx";
import { Finder } from "../../components/finder.tsx";
import { useLatest } from "../../components/reading.ts";
import { words } from "../../text/common.ts";
import { entryTexts as texts } from "../../text/order_entry.ts";
import { Envelope } from "./order_cards.tsx";

/** The customer and address of an order, existing or new. */
export interface EnteredRecipient {
  /** The chosen customer; null without one or for a new customer. */
  readonly customer: Pick<Customer, "id" | "email" | "first_name" | "last_name" | "company"> | null;
  readonly addresses: readonly CustomerAddress[];
  /** The fields of a new customer; null for a chosen one. */
  readonly fresh: FormValues | null;
  /** The id of an address of the customer; empty for a new address. */
  readonly address_id: string;
  readonly address: FormValues;
}

const noAddress: FormValues = {
  name: "",
  company: "",
  address_line1: "",
  address_line2: "",
  city: "",
  state: "",
  postal_code: "",
  country: "US",
  phone: "",
};

/** No customer yet. */
export const nobody: EnteredRecipient = {
  customer: null,
  addresses: [],
  fresh: null,
  address_id: "",
  address: noAddress,
};

/** A chosen customer with the default address. */
function recipientOf(customer: Customer, address_id?: string): EnteredRecipient {
  const default_address =
    customer.shipping_addresses.find(({ is_default }) => is_default) ?? customer.shipping_addresses[0];
  const { id, email, first_name, last_name, company } = customer;
  return {
    ...nobody,
    customer: { id, email, first_name, last_name, company },
    addresses: customer.shipping_addresses,
    address_id: address_id ?? default_address?.id ?? "",
  };
}

/** The entries without empty ones. */
const filled = (values: FormValues): FormValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));

/** Creates the customer and address if they are new. Returns both ids. */
export async function storeRecipient(
  recipient: EnteredRecipient,
): Promise<{ customer_id: string; address_id: string }> {
  const { customer, fresh, address, address_id } = recipient;
  if (customer === null) {
    const body = { ...filled(fresh ?? {}), shipping_addresses: [{ ...filled(address), is_default: true }] };
    const { data } = await post<Customer>("/customers", body);
    return { customer_id: data.id, address_id: data.shipping_addresses[0]?.id ?? "" };
  }
  if (address_id !== "") return { customer_id: customer.id, address_id };
  const { data } = await post<CustomerAddress>(`/customers/${customer.id}/addresses`, filled(address));
  return { customer_id: customer.id, address_id: data.id };
}

/** The field for the customer. */
export const recipientField: FormField = {
  kind: "custom",
  name: "recipient",
  label: words.customer,
  render: (editing) => <RecipientField editing={editing} />,
};

/** The display name of a customer: name, company or email. */
const nameOf = ({ first_name, last_name, company, email }: NonNullable<EnteredRecipient["customer"]>) =>
  [first_name, last_name].filter(Boolean).join(" ") || company || email;

const restOf = (one: NonNullable<EnteredRecipient["customer"]>) =>
  [one.company, one.email].filter((text) => text && text !== nameOf(one)).join(" · ");

async function findCustomers(q: string, signal: AbortSignal): Promise<readonly Customer[]> {
  return (await get<readonly Customer[]>("/customers", { params: { q, limit: 8 }, signal })).data;
}

function RecipientField({ editing }: { readonly editing: Editing }) {
  const { set, problem } = editing;
  const recipient = editing.value as EnteredRecipient;
  const { customer, fresh } = recipient;
  if (customer === null && fresh === null) {
    return (
      <>
        <Finder
          label={words.customer}
          placeholder={texts.findCustomer}
          focus
          find={findCustomers}
          id={({ id }) => id}
          item={(one) => (
            <>
              <b>{nameOf(one)}</b> <span class="muted">{restOf(one)}</span>
            </>
          )}
          onChoose={(one) => set(recipientOf(one))}
          other={{ title: texts.newCustomer, run: (text) => set({ ...recipient, fresh: freshFrom(text) }) }}
          invalid={problem() !== undefined}
        />
        <FieldError text={problem()} />
      </>
    );
  }
  const again = <Button kind="plain" icon="close" title={texts.anotherCustomer} onClick={() => set(nobody)} />;
  return (
    <div class="recipient">
      {customer && (
        <div class="recipient-who">
          <span>
            <b>{nameOf(customer)}</b> <span class="muted">{restOf(customer)}</span>
          </span>
          {again}
        </div>
      )}
      {fresh && <FreshCustomer editing={editing} recipient={recipient} again={again} />}
      <AddressChoice editing={editing} recipient={recipient} />
    </div>
  );
}

function freshFrom(text: string): FormValues {
  const [first_name = "", ...rest] = text.includes("@") ? [] : text.split(/\s+/);
  return { email: text.includes("@") ? text : "", first_name, last_name: rest.join(" "), company: "", phone: "" };
}

const freshFields: readonly FormField[] = [
  { kind: "text", type: "email", name: "email", label: words.email, required: true, width: "half" },
  { kind: "text", name: "company", label: texts.company, width: "half" },
  { kind: "text", name: "first_name", label: texts.firstName, width: "half" },
  { kind: "text", name: "last_name", label: texts.lastName, width: "half" },
];

interface PartProps {
  readonly editing: Editing;
  readonly recipient: EnteredRecipient;
}

function FreshCustomer({ editing, recipient, again }: PartProps & { readonly again: preact.ComponentChildren }) {
  const fresh = recipient.fresh as FormValues;
  const set = (name: string, value: unknown) => editing.set({ ...recipient, fresh: { ...fresh, [name]: value } });
  return (
    <>
      <div class="recipient-who">
        <b>{texts.newCustomer(String(fresh["email"] || nameFrom(fresh)))}</b>
        {again}
      </div>
      <div class="fields">
        {freshFields.map((field) => (
          <FieldRow key={field.name} field={field} values={fresh} set={set} problem={(path) => editing.problem(path)} />
        ))}
      </div>
    </>
  );
}

const nameFrom = ({ first_name, last_name }: FormValues) => [first_name, last_name].filter(Boolean).join(" ");

const optionOf = (one: CustomerAddress) => ({
  value: one.id,
  title: [one.name, one.address_line1, one.city, one.state, one.postal_code].filter(Boolean).join(", "),
});

function AddressChoice({ editing, recipient }: PartProps) {
  const { addresses, address_id, address } = recipient;
  const { set, problem, id } = editing;
  const chosen = addresses.find((one) => one.id === address_id);
  return (
    <div class="recipient-address">
      {addresses.length > 0 && (
        <div class="field">
          <label for={`${id}-address`}>{texts.address}</label>
          <Select
            id={`${id}-address`}
            value={address_id}
            options={[...addresses.map(optionOf), { value: "", title: texts.newAddress }]}
            onChoose={(chosen_id) => set({ ...recipient, address_id: chosen_id })}
          />
        </div>
      )}
      <FieldError text={problem("shipping_address_id")} />
      {address_id === "" && (
        <FieldRow
          field={{ kind: "address", name: "address", label: texts.address }}
          values={{ address }}
          set={(_, value) => set({ ...recipient, address: value })}
          problem={(path) => problem(path)}
        />
      )}
      <AddressCheck
        place={address_id === "" ? address : null}
        known={chosen ?? null}
        onTake={(place) =>
          set({ ...recipient, address_id: "", address: { ...noAddress, ...(chosen ?? address), ...place } })
        }
      />
    </div>
  );
}

type EnteredAddressCheck = Pick<AddressVerdict, "status" | "is_verified" | "errors" | "warnings" | "suggestion">;

interface CheckProps {
  /** A new address. */
  readonly place: FormValues | null;
  /** A stored address with its last check. */
  readonly known: CustomerAddress | null;
  readonly onTake: (place: FormValues) => void;
}

/** Checks an address while it is entered, and shows the suggestion. */
function AddressCheck({ place, known, onTake }: CheckProps) {
  const ready =
    place !== null && place["address_line1"] !== "" && (place["postal_code"] !== "" || place["city"] !== "");
  const { name: _n, company: _c, phone: _p, ...parts } = place ?? {};
  const { data, asking } = useLatest(
    ready ? JSON.stringify(parts) : null,
    async (signal) =>
      (await post<EnteredAddressCheck>("/addresses/verify", { address: filled(parts) }, { signal, key: null })).data,
    500,
  );
  const check: EnteredAddressCheck | null = place === null ? checkOf(known) : data;
  if (check === null) return asking ? <p class="muted">{texts.addressChecking}</p> : null;
  const found = [...check.errors, ...check.warnings];
  return (
    <div class={check.errors.length > 0 ? "address-check bad" : "address-check"} role="status">
      {check.is_verified && <p class="address-good">{texts.addressVerified}</p>}
      {!check.is_verified && found.length === 0 && <p class="muted">{texts.addressUnknown}</p>}
      <ul>
        {found.map(({ field, message }) => (
          <li key={`${field} ${message}`}>
            {words.addressLines[field as keyof typeof words.addressLines] ?? field} {message}
          </li>
        ))}
      </ul>
      {check.suggestion && (
        <div class="suggestion">
          <small>{texts.suggested}</small>
          <Envelope place={check.suggestion} />
          <Button icon="check" title={texts.useSuggestion} onClick={() => onTake(textsOf(check.suggestion ?? {}))} />
        </div>
      )}
    </div>
  );
}

const textsOf = (place: object): FormValues =>
  Object.fromEntries(Object.entries(place).map(([name, value]) => [name, value ?? ""]));

function checkOf(known: CustomerAddress | null): EnteredAddressCheck | null {
  const check = known?.verification ?? null;
  return check === null || known === null ? null : { ...check, is_verified: known.is_verified };
}

/** Fills in the customer from the query parameter. */
export function useCustomer(id: string | null, set: (recipient: EnteredRecipient) => void): void {
  useEffect(() => {
    if (id === null) return;
    get<Customer>(`/customers/${encodeURIComponent(id)}`).then(
      ({ data }) => set(recipientOf(data)),
      () => {},
    );
  }, []);
}
