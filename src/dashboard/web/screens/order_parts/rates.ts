import type { Rate } from "../../api/types.ts";

/** The key of a rate, which stays the same when it is quoted again. */
export const rateKey = ({ carrier, service, account_id }: Rate) => `${carrier} ${service} ${account_id}`;

/** A rate's carrier and service for people. */
export const rateName = ({ carrier_name, service_name }: Rate) => `${carrier_name} ${service_name}`;

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim();

/** The cheapest rate of an order's shipping method, which names a service, alone or after its carrier, or null. */
export function rateOfMethod(rates: readonly Rate[], method: string | null): Rate | null {
  const wanted = plain(method ?? "");
  if (wanted === "") return null;
  const found = rates.find(({ carrier, carrier_name, service, service_name }) => {
    const names = [service, service_name];
    const carriers = ["", carrier, carrier_name];
    return carriers.some((one) => names.some((name) => plain(`${one} ${name}`) === wanted));
  });
  return found ?? null;
}
