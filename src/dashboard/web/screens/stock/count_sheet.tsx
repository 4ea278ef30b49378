import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { meant } from "../../api/merchants.ts";
import { may } from "../../api/session.ts";
import type { StockCount } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { useUnsaved } from "../../components/form.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { BinName } from "../../components/record_name.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { countTexts as texts } from "../../text/counts.ts";
import { money, count as number } from "../../text/format.ts";
import { stockTexts } from "../../text/stock.ts";
import { enteredNumber } from "./stock_links.ts";

type CountSheetLine = StockCount["items"][number];

const keyOf = ({ merchant_id, sku, bin, lot_number }: CountSheetLine) =>
  JSON.stringify([merchant_id, sku, bin, lot_number]);
const lines_max = 500;

/** Sends the counts in one request per merchant, because several merchants may use the same SKU. */
async function send(
  id: string,
  items: readonly CountSheetLine[],
  counted: (line: CountSheetLine) => number | null,
): Promise<void> {
  for (const [merchant, own] of Map.groupBy(items, meant)) {
    for (let at = 0; at < own.length; at += lines_max) {
      const body = own.slice(at, at + lines_max).map((line) => {
        const { sku, bin, lot_number } = line;
        return { sku, bin, lot_number, quantity: counted(line) };
      });
      await post<StockCount>(`/inventory/counts/${id}/items`, { items: body }, { merchant });
    }
  }
}

/** The lines of a count. While the count is open, each line has a field. */
export function CountSheet({ count }: { readonly count: StockCount }) {
  const { id, items, allowed_actions } = count;
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [only, setOnly] = useState(false);
  const [busy, setBusy] = useState(false);
  const records = may("stock.floor") && allowed_actions.includes("record");
  const changed = items.filter((line) => {
    const units = enteredNumber(typed[keyOf(line)]);
    return units !== null && units >= 0 && units !== line.counted_quantity;
  });
  useUnsaved(changed.length > 0);
  const save = async () => {
    setBusy(true);
    try {
      await send(id, changed, (line) => enteredNumber(typed[keyOf(line)]));
      setTyped({});
      showSuccess(texts.saved(changed.length));
    } catch (error) {
      showRefused(error);
    } finally {
      setBusy(false);
    }
  };
  const shown = only ? items.filter(({ difference }) => difference !== null && difference !== 0) : items;
  return (
    <Card
      title={texts.lines}
      flush
      acts={
        <>
          {items.some(({ difference }) => difference) && (
            <button type="button" class="filter flag" aria-pressed={only} onClick={() => setOnly(!only)}>
              {texts.onlyDifferent}
            </button>
          )}
          {changed.length > 0 && <span class="muted unsaved">{texts.unsaved(changed.length)}</span>}
          {records && items.length > 0 && (
            <Button kind="primary" title={texts.save} disabled={changed.length === 0} busy={busy} onClick={save} />
          )}
        </>
      }
    >
      {items.length === 0 ? (
        <EmptyState icon="clipboard" title={texts.nothing} />
      ) : (
        <div role="group" aria-label={texts.lines} onKeyDown={onEnter}>
          <DataTable
            name={texts.lines}
            rows={shown}
            columns={columnsOf(
              items,
              records ? { typed, set: (key, text) => setTyped({ ...typed, [key]: text }) } : null,
            )}
            id={keyOf}
          />
        </div>
      )}
    </Card>
  );
}

/** Enter moves to the next field, for scanners and quick typing. */
function onEnter(event: KeyboardEvent): void {
  const field = event.target as HTMLElement;
  if (event.key !== "Enter" || !(field instanceof HTMLInputElement)) return;
  event.preventDefault();
  const all = [...document.querySelectorAll<HTMLInputElement>("input.counted")];
  const next = all[all.indexOf(field) + 1];
  next?.focus();
  next?.select();
}

interface Entries {
  readonly typed: Readonly<Record<string, string>>;
  readonly set: (key: string, text: string) => void;
}

function columnsOf(items: readonly CountSheetLine[], entries: Entries | null): readonly TableColumn<CountSheetLine>[] {
  const some = (value: (line: CountSheetLine) => unknown) => items.some((line) => value(line) !== null);
  return [
    { id: "bin", title: words.bin, cell: ({ bin }) => <BinName code={bin} text={stockTexts.kinds.staging} /> },
    { id: "sku", title: words.sku, code: "sku" },
    { id: "lot", when: some((it) => it.lot_number), title: words.lot, text: "lot_number" },
    {
      id: "expected",
      title: words.expected,
      align: "right",
      cell: ({ expected_quantity }) =>
        expected_quantity === null ? <span class="muted">{texts.hidden}</span> : number(expected_quantity),
    },
    {
      id: "counted",
      title: texts.counted,
      align: "right",
      cell: (line) => (entries === null ? number(line.counted_quantity) : <CountedField line={line} {...entries} />),
    },
    {
      id: "difference",
      when: some((it) => it.difference),
      title: texts.difference,
      align: "right",
      cell: ({ difference }) => <Difference units={difference} />,
    },
    {
      id: "value",
      when: some((it) => it.value || null),
      title: texts.value,
      align: "right",
      cell: ({ value, currency }) => (value && currency ? money(value, currency) : ""),
    },
  ];
}

function Difference({ units }: { readonly units: number | null }) {
  if (units === null) return null;
  if (units === 0) return <span class="muted">0</span>;
  return <span class={units > 0 ? "plus" : "minus"}>{`${units > 0 ? "+" : ""}${number(units)}`}</span>;
}

function CountedField({ line, typed, set }: Entries & { readonly line: CountSheetLine }) {
  const key = keyOf(line);
  const text = typed[key] ?? (line.counted_quantity === null ? "" : String(line.counted_quantity));
  const units = enteredNumber(text);
  return (
    <input
      class="counted"
      type="text"
      inputMode="numeric"
      autocomplete="off"
      aria-label={texts.countedOf(line.sku, line.bin, line.lot_number)}
      aria-invalid={text !== "" && (units === null || units < 0) ? true : undefined}
      value={text}
      onInput={(event) => set(key, event.currentTarget.value)}
    />
  );
}
