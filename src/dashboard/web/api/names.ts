// Display names of records that are referred to by id.
import { type Signal, signal } from "@preact/signals";
import { get } from "./client.ts";
import { useQuery } from "./query.ts";
import { may } from "./session.ts";

type RecordFields = Readonly<Record<string, unknown>>;

/** The permission and the read function for each kind of id. */
const readers: Readonly<Record<string, readonly [permission: string, read: (id: string) => Promise<unknown>]>> = {
  ord: ["orders.read", async (id) => (await get<RecordFields>(`/orders/${id}`)).data["order_number"]],
  prd: ["catalog.read", async (id) => (await get<RecordFields>(`/products/${id}`)).data["sku"]],
  cus: ["customers.read", async (id) => personOf((await get<RecordFields>(`/customers/${id}`)).data)],
  lbl: ["shipping.read", async (id) => (await get<RecordFields>(`/shipping/labels/${id}`)).data["tracking_number"]],
  shp: ["tracking.read", async (id) => (await get<RecordFields>(`/shipments/${id}`)).data["tracking_number"]],
  key: ["keys.manage", async (id) => (await get<RecordFields>(`/keys/${id}`)).data["name"]],
  whk: ["webhooks.read", async (id) => (await get<RecordFields>(`/webhooks/${id}`)).data["name"]],
  usr: ["users.manage", async (id) => (await allUsers()).find((one) => one["id"] === id)?.["name"]],
};

let users: Promise<readonly RecordFields[]> | undefined;
function allUsers(): Promise<readonly RecordFields[]> {
  users ??= get<readonly RecordFields[]>("/users", { params: { limit: 100 } }).then(({ data }) => data);
  return users;
}

const personOf = ({ first_name, last_name, company, email }: RecordFields) =>
  [first_name, last_name].filter(Boolean).join(" ") || company || email;

// Names rarely change, so each is read once per page load.
const names = new Map<string, Signal<string | null>>();

/** The display name of a record; null until it is loaded, and for records without one. */
export function nameOf(id: string): string | null {
  const known = names.get(id);
  if (known !== undefined) return known.value;
  const found = signal<string | null>(null);
  names.set(id, found);
  const [permission, read] = readers[id.split("_")[0] ?? ""] ?? [];
  if (read === undefined || permission === undefined || !may(permission as Parameters<typeof may>[0])) return null;
  read(id).then(
    (name) => {
      if (typeof name === "string" && name !== "") found.value = name;
    },
    // Users who may not read the record see its id.
    () => {},
  );
  return found.value;
}

interface NamedCarrier {
  readonly code: string;
  readonly name: string;
  readonly service_names: Readonly<Record<string, string>>;
}

/** Returns functions for the names of carriers and services. */
export function useCarrierNames() {
  const { data } = useQuery<{ readonly carriers: readonly NamedCarrier[] }>(
    may("shipping.read") ? "/shipping/carriers" : null,
  );
  const all = data?.carriers ?? [];
  const carrierName = (code: string) => all.find((one) => one.code === code)?.name ?? worded(code);
  const serviceName = (carrier: string | null, code: string) =>
    all.find((one) => one.code === carrier && one.service_names[code] !== undefined)?.service_names[code] ??
    worded(code);
  /** Carrier and service in one text; empty without either. */
  const both = (carrier: string | null, service: string | null) =>
    [carrier && carrierName(carrier), service && serviceName(carrier, service)].filter(Boolean).join(" · ");
  return { carrierName, serviceName, both };
}

/** A code as words, if it has no name: `two_day` is "Two day". */
function worded(code: string): string {
  const text = code.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
