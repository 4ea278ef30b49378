import type { MadeKey } from "../../api/developer_types.ts";
import { SecretDialog } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { words } from "../../text/common.ts";
import { keyTexts as texts } from "../../text/keys.ts";

const choice = { kind: "select", required: true } as const;

/** The fields of a key, whose permission cannot change. */
export const keyFields = (fresh: boolean): readonly FormField[] => [
  { kind: "text", name: "name", label: words.name, help: texts.nameHelp, required: true, focus: true },
  {
    ...choice,
    name: "permission",
    label: texts.level,
    first: "read_write",
    options: optionsOf(texts.levels),
    disabled: !fresh,
  },
  { ...choice, name: "ip_mode", label: texts.addressMode, first: "off", options: optionsOf(texts.modes) },
  {
    kind: "text",
    name: "ip_list",
    label: texts.list,
    help: texts.listHelp,
    lines: 3,
    mono: true,
    when: ({ ip_mode }) => ip_mode !== "off",
    entered: (addresses: readonly string[]) => addresses.join("\n"),
    sent: (entered: string) => entered.split(/[\s,]+/).filter((line) => line !== ""),
  },
  { kind: "number", name: "rate_limit_per_minute", label: texts.rate, help: texts.rateHelp, width: "half" },
  { kind: "date", name: "expires_at", label: words.expires, width: "half" },
  ...(fresh ? [] : [{ kind: "switch" as const, name: "allow_lockout", label: texts.lockout, help: texts.lockoutHelp }]),
];

/** Shows a new key, which cannot be shown again. */
export function NewSecret({ made, onDone }: { readonly made: MadeKey; readonly onDone: () => void }) {
  return (
    <SecretDialog
      title={texts.secretTitle}
      secret={made.key}
      name={made.name}
      text={texts.secretText}
      onDone={onDone}
    />
  );
}
