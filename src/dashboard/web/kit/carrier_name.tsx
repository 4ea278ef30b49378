import { useCarrierNames } from "../api/names.ts";

/** The name of a carrier by its code. */
export function CarrierName({ carrier }: { readonly carrier: string }) {
  return <>{useCarrierNames().carrierName(carrier)}</>;
}

/** The name of a carrier's service by its code. */
export function ServiceName({ carrier, service }: { readonly carrier: string | null; readonly service: string }) {
  return <>{useCarrierNames().serviceName(carrier, service)}</>;
}
