import type { ApiKey, MadeKey } from "../../api/developer_types.ts";
import { Dialog } from "../../components/dialog.tsx";
import type { FormField, FormValues, Option } from "../../components/fields.tsx";
import { SecretOnce } from "../../components/values.tsx";
import { keyTexts as texts } from "../../text/keys.ts";

const options = (all: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(all).map(([value, title]) => ({ value, title }));

/** The fields of a key. Only a new key has the field for its permission. */
export const keyFields = (fresh: boolean): readonly FormField[] => [
  { kind: "text", name: "name", label: texts.name, help: texts.nameHelp, required: true, focus: true },
  ...(fresh
    ? [
        {
          kind: "select" as const,
          name: "permission",
          label: texts.level,
          required: true,
          options: options(texts.levels),
        },
      ]
    : []),
  { kind: "select", name: "ip_mode", label: texts.addressMode, required: true, options: options(texts.modes) },
  {
    kind: "text",
    name: "ip_list",
    label: texts.list,
    help: texts.listHelp,
    lines: 3,
    mono: true,
    when: ({ ip_mode }) => ip_mode !== "off",
  },
  { kind: "number", name: "rate_limit_per_minute", label: texts.rate, help: texts.rateHelp, width: "half" },
  { kind: "date", name: "expires_at", label: texts.expires, width: "half" },
  ...(fresh ? [] : [{ kind: "switch" as const, name: "allow_lockout", label: texts.lockout, help: texts.lockoutHelp }]),
];

/** The initial values of a new key. */
export const newKey: FormValues = {
  name: "",
  permission: "read_write",
  ip_mode: "off",
  ip_list: "",
  rate_limit_per_minute: "",
  expires_at: "",
};

/** The form values of a key. */
export const valuesOf = (key: ApiKey): FormValues => ({
  name: key.name,
  ip_mode: key.ip_mode,
  ip_list: key.ip_list.join("\n"),
  rate_limit_per_minute: key.rate_limit_per_minute === null ? "" : String(key.rate_limit_per_minute),
  expires_at: key.expires_at === null ? "" : key.expires_at.slice(0, 10),
  allow_lockout: false,
});

/** The request body of the entries. */
export function bodyOf({ ip_list, rate_limit_per_minute, expires_at, allow_lockout, ...rest }: FormValues) {
  const addresses = String(ip_list ?? "")
    .split(/[\s,]+/)
    .filter((line) => line !== "");
  return {
    ...rest,
    ip_list: addresses,
    rate_limit_per_minute: rate_limit_per_minute === "" ? null : Number(rate_limit_per_minute),
    expires_at: expires_at === "" ? null : expires_at,
    ...(allow_lockout === true && { allow_lockout }),
  };
}

/** Shows a new key, which cannot be shown again. */
export function NewSecret({ made, onDone }: { readonly made: MadeKey; readonly onDone: () => void }) {
  return (
    <Dialog title={texts.secretTitle} onClose={onDone} mayClose={() => false}>
      <SecretOnce secret={made.key} name={made.name} text={texts.secretText} done={texts.secretDone} onDone={onDone} />
    </Dialog>
  );
}
