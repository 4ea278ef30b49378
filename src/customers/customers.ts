import { isDeepStrictEqual } from "node:util";
import { type AddressVerification, isVerified, type StoredCheck } from "../addresses/address.ts";
import { acceptedFrom, suggestionOf } from "../addresses/offline_verification.ts";
import { checkStored } from "../addresses/verify_address.ts";
import { Fault, invalid, missing } from "../core/faults.ts";
import { readId, wireId } from "../core/ids.ts";
import { addressIn, type CompleteAddress, contactFields, isSamePlace } from "../core/postal_address.ts";
import { refuseForClosed } from "../merchants/directory.sql.ts";
import type { Tx } from "../storage/database.ts";
import { isDuplicate } from "../storage/storage_errors.ts";
import { requireOwner } from "../storage/tenant.ts";
import { customerFields } from "./customer.resource.ts";
import type {
  CreateAddress,
  CreateCustomer,
  ReplaceAddress,
  UpdateAddress,
  UpdateCustomer,
} from "./customer.schema.ts";
import {
  type AddressDraft,
  addressDefaults,
  addresses_max,
  type Customer,
  type CustomerAddress,
  type CustomerFields,
  checkAddresses,
  chooseDefault,
  customerDefaults,
  type DefaultAddressRequest,
  defaultCompany,
  recipientName,
  refuseErasedEmail,
} from "./customer.ts";
import {
  findCustomerByEmail,
  getCustomer,
  insertCustomer,
  lockCustomer,
  saveAddresses,
  saveCheck,
  saveCustomer,
} from "./customers.sql.ts";

/** Creates a customer with its addresses. Refuses: validation_failed, duplicate_email, merchant_closed. */
export async function createCustomer(tx: Tx, input: CreateCustomer): Promise<Customer> {
  await refuseForClosed(tx, requireOwner(tx));
  refuseErasedEmail(input.email);
  const customer = await insertCustomer(tx, { ...customerDefaults, ...sentFields(input), email: input.email });
  if (customer === null) throw await duplicateEmail(tx, input.email);
  // An id belongs to another customer's address, whose record was sent back as a new one.
  const sent: readonly (CreateAddress & { readonly id?: unknown })[] = input.shipping_addresses ?? [];
  const addresses = sent.map(({ id: _, ...address }) => address);
  return addresses.length === 0 ? customer : replaceAddresses(tx, customer, addresses);
}

/**
 * Changes fields of a customer. Without a difference nothing is written. `shipping_addresses` replaces all addresses;
 * those with an `id` change in place. Refuses: resource_missing, customer_erased, validation_failed, duplicate_email,
 * merchant_closed.
 */
export async function updateCustomer(tx: Tx, id: string, input: UpdateCustomer): Promise<Customer> {
  const before = await lockCustomer(tx, id);
  const fields = { ...fieldsOf(before), ...sentFields(input) };
  if (fields.email !== before.email) refuseErasedEmail(fields.email);
  const { shipping_addresses } = input;
  const kept =
    shipping_addresses === undefined ||
    isStoredAddress(before, addressSet({ ...before, ...fields }, shipping_addresses));
  if (kept && isDeepStrictEqual(fields, fieldsOf(before))) return before;
  const customer = await save(tx, before, fields);
  return shipping_addresses === undefined ? customer : replaceAddresses(tx, customer, shipping_addresses);
}

/** Adds an address to a customer. Refuses: resource_missing, customer_erased, validation_failed, merchant_closed. */
export async function addAddress(tx: Tx, id: string, input: CreateAddress): Promise<CustomerAddress> {
  const customer = await touch(tx, id);
  const before = customer.shipping_addresses;
  if (before.length >= addresses_max) {
    throw invalid("address_line1", `would exceed the maximum of ${addresses_max} addresses; remove one first`);
  }
  const drafts = [...before.map(draftOf), { id: null, fields: addressOf(customer, addressDefaults, input) }];
  const wishes = [...before.map(keep), { is_default: input.is_default, was_default: false }];
  const saved = await check(tx, customer, drafts, wishes);
  return saved.shipping_addresses.at(-1) as CustomerAddress;
}

/**
 * Changes fields of a customer's address. Without a difference nothing is written. Orders keep the address with which
 * they were created. Refuses: resource_missing, customer_erased, validation_failed.
 */
export async function updateAddress(
  tx: Tx,
  id: string,
  address_id: string,
  input: UpdateAddress,
): Promise<CustomerAddress> {
  const customer = await lockCustomer(tx, id);
  const address = ofCustomer(customer, address_id);
  if (address.is_default && input.is_default === false) {
    throw invalid("is_default", "cannot be false: make another address the default instead");
  }
  const before = customer.shipping_addresses;
  const drafts = before.map((one) =>
    one === address ? { id: one.id, fields: addressOf(customer, one, input) } : draftOf(one),
  );
  const wishes = before.map((one) => (one === address ? { ...keep(one), is_default: input.is_default } : keep(one)));
  if (isStoredAddress(customer, { drafts, wishes })) return address;
  const saved = await check(tx, await saveCustomer(tx, customer, fieldsOf(customer)), drafts, wishes);
  return ofCustomer(saved, address_id);
}

/**
 * Replaces a customer's address with the one that its last check suggests. Orders keep the address with which they were
 * created. Refuses: resource_missing, customer_erased, no_suggestion, validation_failed.
 */
export async function acceptSuggestion(tx: Tx, id: string, address_id: string): Promise<CustomerAddress> {
  const before = ofCustomer(await lockCustomer(tx, id), address_id);
  const address = await updateAddress(tx, id, address_id, suggestionOf(before.verification));
  const verification = acceptedFrom(before.verification, tx.now);
  if (verification === null) return address;
  const check = { verification, is_verified: true, ask_at: null };
  await saveCheck(tx, address.id, check);
  return { ...address, ...check };
}

/**
 * Stores a carrier's verification of an address. False if the address was deleted or changed since the carrier was
 * called. Refuses: resource_missing.
 */
export async function recordVerification(
  tx: Tx,
  asked: CustomerAddress,
  verification: AddressVerification,
): Promise<boolean> {
  if ((await getCustomer(tx, asked.customer_id)).erased_at !== null) return false;
  const customer = await lockCustomer(tx, asked.customer_id);
  const address = customer.shipping_addresses.find(({ id }) => id === asked.id);
  if (address === undefined || !isSamePlace(address, asked)) return false;
  await saveCustomer(tx, customer, fieldsOf(customer));
  await saveCheck(tx, address.id, { verification, is_verified: isVerified(verification), ask_at: null });
  return true;
}

/**
 * The address of a customer with exactly these fields, created if missing. It is not checked for being deliverable: the
 * address of a platform's order is stored unchanged. If the customer already has the most addresses allowed, the oldest
 * one other than the default is removed. Refuses: resource_missing, customer_erased, merchant_closed.
 */
export async function keepAddress(tx: Tx, customer_id: number, fields: CompleteAddress): Promise<CustomerAddress> {
  const customer = await lockCustomer(tx, customer_id);
  const before = customer.shipping_addresses;
  const known = before.find((address) => isDeepStrictEqual(addressIn(address), fields));
  if (known !== undefined) return known;
  const oldest = before.length < addresses_max ? undefined : before.find(({ is_default }) => !is_default);
  const drafts = [...before.filter((address) => address !== oldest).map(draftOf), { id: null, fields }];
  const wishes = [...before.filter((address) => address !== oldest).map(keep), withoutDefaultRequest];
  const changed = await saveCustomer(tx, customer, fieldsOf(customer));
  const saved = await saveChecked(
    tx,
    changed,
    drafts,
    chooseDefault(wishes, () => ""),
  );
  return saved.shipping_addresses.at(-1) as CustomerAddress;
}

const withoutDefaultRequest: DefaultAddressRequest = { is_default: undefined, was_default: false };

/**
 * Removes an address; if it was the default, the oldest remaining one becomes the default.
 * Refuses: resource_missing, customer_erased.
 */
export async function removeAddress(tx: Tx, id: string, address_id: string): Promise<Customer> {
  const customer = await touch(tx, id);
  const address = ofCustomer(customer, address_id);
  const left = customer.shipping_addresses.filter((one) => one !== address);
  return saveChecked(
    tx,
    customer,
    left.map(draftOf),
    chooseDefault(left.map(keep), () => ""),
  );
}

/** The customer, locked, with its revision increased. */
async function touch(tx: Tx, id: string): Promise<Customer> {
  const customer = await lockCustomer(tx, id);
  return saveCustomer(tx, customer, fieldsOf(customer));
}

async function save(tx: Tx, before: Customer, fields: CustomerFields): Promise<Customer> {
  if (fields.email === before.email) return saveCustomer(tx, before, fields);
  try {
    return await tx.nested((inner) => saveCustomer(inner, before, fields));
  } catch (error) {
    if (!isDuplicate(error, "customers", "customers_email", ["email_key", "merchant_id"])) throw error;
    throw await duplicateEmail(tx, fields.email);
  }
}

async function duplicateEmail(tx: Tx, email: string): Promise<Fault> {
  const other = await findCustomerByEmail(tx, email);
  return new Fault("duplicate_email", `A customer with the email address ${email} already exists.`, {
    existing_id: other === null ? null : wireId("customer", other),
  });
}

/** The new addresses of a customer, and which of them is the default. */
interface AddressSet {
  readonly drafts: readonly AddressDraft[];
  readonly wishes: readonly DefaultAddressRequest[];
}

const pathOfSet = (index: number) => `shipping_addresses[${index}].`;

function replaceAddresses(tx: Tx, customer: Customer, inputs: readonly ReplaceAddress[]): Promise<Customer> {
  const { drafts, wishes } = addressSet(customer, inputs);
  return check(tx, customer, drafts, wishes, pathOfSet);
}

/** Whether a customer has exactly these addresses. */
function isStoredAddress({ shipping_addresses }: Customer, { drafts, wishes }: AddressSet): boolean {
  if (!isDeepStrictEqual(drafts, shipping_addresses.map(draftOf))) return false;
  const chosen = chooseDefault(wishes, pathOfSet);
  return chosen === null || shipping_addresses[chosen]?.is_default === true;
}

function addressSet(customer: Customer, inputs: readonly ReplaceAddress[]): AddressSet {
  const named = inputs.map(({ id }, index) => (id === undefined ? null : inPlace(customer, id, index)));
  const twice = named.findIndex((address, index) => address !== null && named.indexOf(address) < index);
  if (twice >= 0) throw invalid(`shipping_addresses[${twice}].id`, "is already in this list", "duplicate");
  const drafts = inputs.map((input, index) => {
    const address = named[index] ?? null;
    return { id: address?.id ?? null, fields: addressOf(customer, address ?? addressDefaults, input) };
  });
  const wishes = inputs.map(({ is_default }, index) => ({
    is_default,
    was_default: named[index]?.is_default ?? false,
  }));
  return { drafts, wishes };
}

function inPlace(customer: Customer, id: string | number, index: number): CustomerAddress {
  const address = customer.shipping_addresses.find((one) => one.id === readId("address", id));
  if (address !== undefined) return address;
  const field = `shipping_addresses[${index}].id`;
  throw new Fault("resource_missing", `No such address of this customer: ${id}.`, {
    fields: [{ field, code: "resource_missing", message: "is not an address of this customer" }],
  });
}

function check(
  tx: Tx,
  customer: Customer,
  drafts: readonly AddressDraft[],
  wishes: readonly DefaultAddressRequest[],
  pathOf: (index: number) => string = () => "",
): Promise<Customer> {
  // An unchanged address is not checked again: an imported order may have left an incomplete one.
  const changed = drafts.flatMap((draft, index) => (isUntouched(customer, draft) ? [] : [index]));
  checkAddresses(
    changed.map((index) => (drafts[index] as AddressDraft).fields),
    (at) => pathOf(changed[at] as number),
  );
  // An order may be on hold until its address is corrected.
  if (customer.shipping_addresses.length > 0) tx.wake("orders.recheck_addresses", tx.now);
  return saveChecked(tx, customer, drafts, chooseDefault(wishes, pathOf));
}

function isUntouched(customer: Customer, { id, fields }: AddressDraft): boolean {
  const before = customer.shipping_addresses.find((address) => address.id === id);
  return before !== undefined && isDeepStrictEqual(addressIn(before), fields);
}

/** Saves the addresses of a customer, and checks those that are new or moved. Refuses: merchant_closed. */
async function saveChecked(
  tx: Tx,
  customer: Customer,
  drafts: readonly AddressDraft[],
  default_index: number | null,
): Promise<Customer> {
  if (drafts.some(({ id }) => id === null)) await refuseForClosed(tx, customer.merchant_id);
  const changed = drafts.filter((draft) => !isUntouched(customer, draft));
  const known = new Map(changed.map((draft) => [draft, knownCheck(customer, draft)]));
  const fresh = changed.filter((draft) => known.get(draft) === null);
  const checks = await checkStored(
    tx,
    fresh.map(({ fields }) => fields),
  );
  const checked = drafts.map((draft) => ({
    ...draft,
    check: known.get(draft) ?? checks[fresh.indexOf(draft)] ?? null,
  }));
  return saveAddresses(tx, customer, checked, default_index);
}

/** The verification that an address keeps when only the recipient changes; null when it must be checked again. */
function knownCheck({ shipping_addresses }: Customer, { id, fields }: AddressDraft): StoredCheck | null {
  const before = shipping_addresses.find((address) => address.id === id);
  if (before === undefined || before.verification === null || !isSamePlace(before, fields)) return null;
  const { verification, is_verified, ask_at } = before;
  return { verification, is_verified, ask_at };
}

function ofCustomer(customer: Customer, address_id: string): CustomerAddress {
  const address = customer.shipping_addresses.find(({ id }) => id === readId("address", address_id));
  if (address === undefined) throw missing("address", address_id);
  return address;
}

const keep = ({ is_default }: CustomerAddress): DefaultAddressRequest => ({
  is_default: undefined,
  was_default: is_default,
});

const draftOf = (address: CustomerAddress): AddressDraft => ({ id: address.id, fields: addressIn(address) });

/** An address with the client's changes; a new one takes name and company from the customer by default. */
function addressOf(
  customer: Customer,
  before: CompleteAddress,
  input: UpdateAddress | ReplaceAddress,
): CompleteAddress {
  const fields = { ...addressIn(before), ...only(input, contactFields) };
  const name = fields.name || recipientName(customer);
  const unsaid = before === addressDefaults && input.company === undefined;
  return { ...fields, name, company: unsaid ? defaultCompany(customer, name) : fields.company || null };
}

const fieldsOf = (customer: Customer) => only(customer, Object.keys(customerFields)) as unknown as CustomerFields;

/** The customer's fields that a request sets. */
function sentFields(input: UpdateCustomer): Partial<CustomerFields> {
  return only(input, Object.keys(customerFields));
}

function only(input: object, names: readonly string[]): Record<string, never> {
  const entries = Object.entries(input).filter(([name, value]) => value !== undefined && names.includes(name));
  return Object.fromEntries(entries) as Record<string, never>;
}
