import type { Webhook } from "../../api/developer_types.ts";
import type { Editing, FormField, FormValues, Option } from "../../components/fields.tsx";
import { webhookTexts as texts } from "../../text/webhooks.ts";
import { eventTypes } from "./event_types.ts";

const options = (all: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(all).map(([value, title]) => ({ value, title }));

type EventGroup = keyof typeof texts.groups;

/** The event types by group. A checkbox chooses a whole group. */
function Groups({ value, set }: Pick<Editing, "value" | "set">) {
  const chosen = new Set(value as readonly string[]);
  const change = (types: readonly string[], on: boolean) => {
    const next = eventTypes.filter((type) => (types.includes(type) ? on : chosen.has(type)));
    set(next);
  };
  return (
    <div class="event-groups">
      {Object.entries(texts.groups).map(([group, title]) => {
        const types = eventTypes.filter((type) => type.startsWith(`${group as EventGroup}.`));
        const count = types.filter((type) => chosen.has(type)).length;
        return (
          <fieldset key={group}>
            <legend>
              <label>
                <input
                  type="checkbox"
                  checked={count === types.length}
                  ref={(box) => {
                    if (box) box.indeterminate = count > 0 && count < types.length;
                  }}
                  onChange={(event) => change(types, event.currentTarget.checked)}
                />
                {title}
              </label>
            </legend>
            {types.map((type) => (
              <label key={type}>
                <input
                  type="checkbox"
                  name={type}
                  checked={chosen.has(type)}
                  onChange={(event) => change([type], event.currentTarget.checked)}
                />
                <code>{type}</code>
              </label>
            ))}
          </fieldset>
        );
      })}
    </div>
  );
}

/** The fields of a webhook. Only a new one has a field for the version. */
export const webhookFields = (fresh: boolean): readonly FormField[] => [
  {
    kind: "text",
    type: "url",
    name: "url",
    label: texts.url,
    help: texts.urlHelp,
    required: true,
    mono: true,
    focus: true,
    placeholder: "https://",
  },
  { kind: "text", name: "description", label: texts.description },
  { kind: "custom", name: "events", label: texts.events, required: true, render: (editing) => <Groups {...editing} /> },
  ...(fresh
    ? [
        {
          kind: "select" as const,
          name: "version",
          label: texts.version,
          required: true,
          width: "half" as const,
          options: options(texts.versions),
        },
      ]
    : []),
  {
    kind: "select",
    name: "payload",
    label: texts.payload,
    required: true,
    width: "half",
    options: options(texts.payloads),
    when: ({ version }) => version === "v2",
  },
  {
    kind: "select",
    name: "retry_limit",
    label: texts.retries,
    required: true,
    width: "half",
    options: ["3", "5", "10"].map((value) => ({ value, title: value })),
  },
  { kind: "number", name: "rate_limit_per_second", label: texts.rate, help: texts.rateHelp, width: "half" },
];

/** The initial values of a new webhook. */
export const newWebhook: FormValues = {
  url: "",
  description: "",
  events: ["order.created", "order.shipped"],
  version: "v1",
  payload: "full",
  retry_limit: "5",
  rate_limit_per_second: "",
};

/** The form values of a webhook. */
export const valuesOf = (webhook: Webhook): FormValues => ({
  url: webhook.url,
  description: webhook.description ?? "",
  events: webhook.events,
  version: webhook.version,
  payload: webhook.payload,
  retry_limit: String(webhook.retry_limit),
  rate_limit_per_second: webhook.rate_limit_per_second === null ? "" : String(webhook.rate_limit_per_second),
});

/** The request body of the entries. */
export function bodyOf({ description, retry_limit, rate_limit_per_second, payload, version, ...rest }: FormValues) {
  return {
    ...rest,
    version,
    description: description === "" ? null : description,
    ...(version === "v2" && { payload }),
    retry_limit: Number(retry_limit),
    rate_limit_per_second: rate_limit_per_second === "" ? null : Number(rate_limit_per_second),
  };
}
