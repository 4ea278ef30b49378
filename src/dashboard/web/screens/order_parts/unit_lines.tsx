import type { ComponentChildren } from "preact";
import type { Values } from "../../kit/fields.tsx";
import { count } from "../../texts/format.ts";
import { orderTexts as texts } from "../../texts/order.ts";

interface UnitLine {
  /** The name of its value in `entered`. */
  readonly id: string;
  readonly sku: string;
  readonly name?: string;
  readonly most: number;
}

interface Props<Line> {
  /** The id of the field. */
  readonly id: string;
  readonly lines: readonly Line[];
  readonly entered: Values;
  readonly onEnter: (entered: Values) => void;
  /** The API error of a line. */
  readonly wrong: (line: Line) => string | undefined;
  /** A further field of a line. */
  readonly beside?: (line: Line) => ComponentChildren;
}

/** A field for the units of each line, with the number that is possible. */
export function UnitLines<Line extends UnitLine>({ id, lines, entered, onEnter, wrong, beside }: Props<Line>) {
  return lines.map((line) => {
    const problem = wrong(line);
    return (
      <div key={line.id} class="units-line">
        <label for={`${id}-${line.id}`}>
          <code>{line.sku}</code> {line.name !== undefined && <span class="muted">{line.name}</span>}
        </label>
        <span class="with-unit">
          <input
            id={`${id}-${line.id}`}
            type="text"
            inputMode="numeric"
            value={String(entered[line.id] ?? "")}
            aria-label={texts.quantityOf(line.sku)}
            aria-invalid={problem ? true : undefined}
            onInput={(event) => onEnter({ ...entered, [line.id]: event.currentTarget.value.replace(/\D/g, "") })}
          />
          <span class="unit">{texts.of(count(line.most))}</span>
        </span>
        {beside?.(line)}
        {problem && (
          <p class="field-wrong" role="alert">
            {problem}
          </p>
        )}
      </div>
    );
  });
}
