import { post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Label, Return } from "../../api/types.ts";
import { FormDialog } from "../../kit/form.tsx";
import { said } from "../../shell/toasts.tsx";
import { labelTexts } from "../../texts/order.ts";
import { returnTexts as texts } from "../../texts/returns.ts";

interface Carriers {
  readonly carriers: readonly {
    readonly code: string;
    readonly name: string;
    readonly services: readonly string[];
    readonly service_names: Readonly<Record<string, string>>;
    readonly account_id: string | null;
  }[];
}

/** Buys a return label. */
export function ReturnLabelDialog({ found, onClose }: { readonly found: Return; readonly onClose: () => void }) {
  const { data } = useQuery<Carriers>("/shipping/carriers");
  if (data === undefined) return null;
  const options = data.carriers.flatMap(({ code, name, services, service_names, account_id }) =>
    services.map((service) => ({
      value: JSON.stringify([code, service, account_id]),
      title: `${name} · ${service_names[service] ?? service}`,
    })),
  );
  return (
    <FormDialog
      title={`${texts.acts["label"]}: ${found.id}`}
      fields={[
        { kind: "select", name: "offer", label: labelTexts.service, required: true, options },
        { kind: "weight", name: "weight", unit_name: "weight_unit", label: labelTexts.weight, required: true },
      ]}
      first={{ offer: options[0]?.value ?? "", weight: "1", weight_unit: "lb" }}
      submit={texts.acts["label"] ?? ""}
      onClose={onClose}
      onSubmit={async ({ offer, weight, weight_unit }, key) => {
        const [carrier, service, account_id] = JSON.parse(String(offer)) as [string, string, string | null];
        await post<Label>(
          `/returns/${found.id}/label`,
          {
            carrier,
            service,
            package: { weight: Number(weight), weight_unit },
            ...(account_id === null ? {} : { account_id }),
          },
          { key },
        );
        said(texts.done["label"] ?? "");
      }}
    />
  );
}
