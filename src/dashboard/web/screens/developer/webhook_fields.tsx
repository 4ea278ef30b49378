import type { Editing, FormField } from "../../components/fields.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { webhookTexts as texts } from "../../text/webhooks.ts";
import { eventTypes } from "./event_types.ts";

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

const choice = { kind: "select", required: true, width: "half" } as const;

/** The fields of a webhook, whose version cannot change. */
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
  {
    kind: "custom",
    name: "events",
    label: texts.events,
    required: true,
    first: ["order.created", "order.shipped"],
    render: (editing) => <Groups {...editing} />,
  },
  {
    ...choice,
    name: "version",
    label: texts.version,
    first: "v1",
    options: optionsOf(texts.versions),
    disabled: !fresh,
  },
  {
    ...choice,
    name: "payload",
    label: texts.payload,
    first: "full",
    options: optionsOf(texts.payloads),
    when: ({ version }) => version === "v2",
  },
  {
    ...choice,
    name: "retry_limit",
    label: texts.retries,
    first: "5",
    options: ["3", "5", "10"].map((value) => ({ value, title: value })),
    sent: Number,
  },
  { kind: "number", name: "rate_limit_per_second", label: texts.rate, help: texts.rateHelp, width: "half" },
];
