import { nameOf, useCarrierNames } from "../api/names.ts";
import { to } from "../browser/router.ts";

/** The name of a carrier by its code. */
export function CarrierName({ carrier }: { readonly carrier: string }) {
  return <>{useCarrierNames().carrierName(carrier)}</>;
}

/** The name of a carrier's service by its code. */
export function ServiceName({ carrier, service }: { readonly carrier: string | null; readonly service: string }) {
  return <>{useCarrierNames().serviceName(carrier, service)}</>;
}

/** The screens of records, by the first part of their ids. */
const screens: Readonly<Record<string, string>> = {
  ord: "/orders",
  prd: "/products",
  cus: "/customers",
  ret: "/returns",
  lot: "/lots",
  rcv: "/receipts",
  trf: "/transfers",
  cnt: "/counts",
  lbl: "/shipping/labels",
  key: "/settings/keys",
  whk: "/settings/webhooks",
};

interface RecordNameProps {
  readonly id: string;
  /** Omits the link to its screen. */
  readonly plain?: boolean;
}

/** The name of a record, linked to its screen. Shows the id if it has no name. */
export function RecordName({ id, plain = false }: RecordNameProps) {
  const name = nameOf(id) ?? id;
  const screen = screens[id.split("_")[0] ?? ""];
  if (plain || screen === undefined) return <span title={id}>{name}</span>;
  return (
    <a href={to(`${screen}/${id}`)} title={id}>
      {name}
    </a>
  );
}

const staging = "STAGING-";

/** The name of a bin: its code, or the order for a bin of picked units. */
export function BinName({ code, text }: { readonly code: string; readonly text: string }) {
  if (!code.startsWith(staging)) return <code>{code}</code>;
  return (
    <>
      {text} <RecordName id={code.slice(staging.length)} />
    </>
  );
}
