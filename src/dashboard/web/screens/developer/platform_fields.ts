import { type Platform, platforms } from "../../../../platforms/platforms.transitions.ts";
import type { PlatformConnection } from "../../api/developer_types.ts";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { platformTexts as texts } from "../../text/platforms.ts";

/** The fields of a store, with the names of its platform. Secrets are never shown again. */
export const connectionFields = (platform: Platform, fresh: boolean): readonly FormField[] => {
  const helpFor = (help: string) => (fresh ? help : `${help} ${texts.keepHelp}`.trim());
  const secret = { kind: "text", type: "password", autocomplete: "off", mono: true } as const;
  return [
    ...(fresh
      ? [
          {
            kind: "text" as const,
            name: "store_id",
            label: texts.storeIds[platform],
            required: true,
            mono: true,
            help: texts.storeHelp[platform],
            focus: true,
          },
        ]
      : []),
    { kind: "text", name: "name", label: texts.name, help: texts.nameHelp },
    ...(platform === "woocommerce"
      ? [{ ...secret, name: "api_key", label: texts.keys[platform], help: helpFor("") }]
      : []),
    { ...secret, name: "api_token", label: texts.tokens[platform], help: helpFor(texts.tokenHelp) },
    { ...secret, name: "client_secret", label: texts.secrets[platform], help: helpFor(texts.secretHelp) },
    { kind: "text", name: "order_prefix", label: texts.prefix, help: texts.prefixHelp, width: "half" },
    { kind: "text", name: "api_url", label: texts.apiUrl, help: texts.apiUrlHelp, mono: true },
  ];
};

/** The initial values of a new store. */
export const newConnection: FormValues = {
  store_id: "",
  name: "",
  api_key: "",
  api_token: "",
  client_secret: "",
  order_prefix: "",
  api_url: "",
};

/** The form values of a store. */
export const valuesOf = ({ name, order_prefix, api_url }: PlatformConnection): FormValues => ({
  ...newConnection,
  name,
  order_prefix,
  api_url,
});

/** The request body of the entries. Empty secrets are left out and stay as they are. */
export function bodyOf({ order_prefix, ...values }: FormValues, fresh: boolean) {
  const entered = Object.entries(values).filter(([, value]) => value !== "");
  return { ...Object.fromEntries(entered), ...(fresh && order_prefix === "" ? {} : { order_prefix }) };
}

/** The options for the platform. */
export const platformOptions = platforms.map((value) => ({ value, title: texts.platforms[value] }));
