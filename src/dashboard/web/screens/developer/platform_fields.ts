import {
  type Platform,
  pendingOrders,
  pickupChoices,
  platforms,
  testOrders,
} from "../../../../platforms/platforms.transitions.ts";
import type { FormField } from "../../components/fields.tsx";
import { words } from "../../text/common.ts";
import { platformTexts as texts } from "../../text/platforms.ts";

const pickupField = {
  kind: "select",
  name: "pickup_orders",
  label: texts.pickupOrders,
  required: true,
  first: "ignore",
  width: "half",
  options: pickupChoices.map((value) => ({ value, title: texts.pickupChoices[value] })),
  help: texts.pickupHelp,
} as const satisfies FormField;

const choices = [
  {
    kind: "select",
    name: "pending_orders",
    label: texts.pendingOrders,
    required: true,
    first: "wait",
    width: "half",
    options: pendingOrders.map((value) => ({ value, title: texts.pendingChoices[value] })),
    help: texts.pendingHelp,
  },
  {
    kind: "select",
    name: "test_orders",
    label: texts.testOrders,
    required: true,
    first: "ignore",
    width: "half",
    options: testOrders.map((value) => ({ value, title: texts.testChoices[value] })),
    help: texts.testHelp,
  },
] as const satisfies readonly FormField[];

/** The fields of a store, with the names of its platform. Stored secrets are not shown; an empty entry keeps them. */
export const connectionFields = (platform: Platform, fresh: boolean): readonly FormField[] => {
  const helpFor = (help: string) => (fresh ? help : `${help} ${texts.keepHelp}`.trim());
  const text = { kind: "text", blank: undefined } as const;
  const secret = { ...text, type: "password", autocomplete: "off", mono: true } as const;
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
    { ...text, name: "name", label: words.name, help: texts.nameHelp },
    ...(platform === "woocommerce"
      ? [{ ...secret, name: "api_key", label: texts.keys[platform], help: helpFor("") }]
      : []),
    ...(platform === "shopify"
      ? [{ kind: "text" as const, name: "client_id", label: texts.clientId, mono: true, help: texts.clientIdHelp }]
      : []),
    {
      ...secret,
      name: "client_secret",
      label: texts.secrets[platform],
      help: helpFor(platform === "shopify" ? texts.appSecretHelp : texts.secretHelp),
    },
    {
      ...secret,
      name: "api_token",
      label: texts.tokens[platform],
      help: helpFor(platform === "shopify" ? texts.staticTokenHelp : texts.tokenHelp),
    },
    {
      ...text,
      name: "order_prefix",
      label: texts.prefix,
      help: texts.prefixHelp,
      width: "half",
      ...(!fresh && { blank: "" }),
    },
    pickupField,
    ...(platform === "shopify" ? choices : []),
    { ...text, name: "api_url", label: texts.apiUrl, help: texts.apiUrlHelp, mono: true },
  ];
};

/** The options for the platform. */
export const platformOptions = platforms.map((value) => ({ value, title: texts.platforms[value] }));
