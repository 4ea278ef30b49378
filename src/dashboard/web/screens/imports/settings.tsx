import { FieldRow } from "../../kit/fields.tsx";
import { importTexts as texts } from "../../texts/imports.ts";
import type { Reading } from "./file_columns.ts";

interface Props {
  readonly reading: Reading;
  /** The names of the API's columns. */
  readonly fields: readonly string[];
  readonly onChange: (reading: Reading) => void;
}

const none = () => undefined;

/** How a file is read: its decimal separator, and which of its columns is which. */
export function ReadingFields({ reading, fields, onChange }: Props) {
  const { columns, decimal } = reading;
  const choose = (name: string, value: unknown) => {
    const at = Number(name.replace("column-", ""));
    onChange({ ...reading, fields: reading.fields.map((field, index) => (index === at ? String(value) : field)) });
  };
  return (
    <div class="import-reading">
      <div class="fields">
        <FieldRow
          field={{
            kind: "select",
            name: "decimal",
            label: texts.decimal,
            help: texts.decimalHelp,
            options: texts.decimals,
            required: true,
            width: "half",
          }}
          values={{ decimal }}
          set={(_, value) => onChange({ ...reading, decimal: String(value) })}
          problem={none}
        />
      </div>
      <h2>{texts.columns}</h2>
      <p class="muted">{texts.columnsHelp}</p>
      <div class="fields">
        {columns.map(({ name, example }, at) => (
          <FieldRow
            key={`${at}-${name}`}
            field={{
              kind: "select",
              name: `column-${at}`,
              label: name || texts.unnamed(at + 1),
              ...(example && { help: texts.example(example) }),
              options: fields.map((value) => ({ value, title: value })),
              empty: texts.leaveOut,
              required: true,
              width: "third",
              disabled: name === "",
            }}
            values={{ [`column-${at}`]: reading.fields[at] ?? "" }}
            set={choose}
            problem={none}
          />
        ))}
      </div>
    </div>
  );
}
