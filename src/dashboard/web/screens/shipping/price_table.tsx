// The prices of a rate card as a table: a row per weight in pounds, a column per zone.

import { useState } from "preact/hooks";
import { isOutdated, patch } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { may } from "../../api/session.ts";
import type { RateCard } from "../../api/types.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Button } from "../../components/button.tsx";
import { useUnsaved } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { count, plainMoney } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";

type RateCardRow = RateCard["prices"][number];

/** The amount that the table shows. */
type PriceSide = "price" | "cost";

/** The key of a cell: its zone and maximum weight in pounds, or null for each additional pound. */
const cellKey = (zone: string, pounds: number | null, side: PriceSide): string => `${side} ${pounds ?? "each"} ${zone}`;

/** The columns and rows of a price table. */
interface PriceGrid {
  readonly zones: readonly string[];
  readonly weights: readonly (number | null)[];
}

const order = new Intl.Collator("en", { numeric: true });

/** The zones and weights of the prices, in order. The price of each additional pound comes last. */
function gridOf(prices: readonly RateCardRow[]): PriceGrid {
  const zones = [...new Set(prices.map(({ zone }) => zone))].sort(order.compare);
  const weights = [...new Set(prices.map(({ up_to_pounds }) => up_to_pounds))];
  return { zones, weights: weights.sort((one, other) => (one ?? Infinity) - (other ?? Infinity)) };
}

/** The formatted amounts, by cell key. */
function cellsOf(prices: readonly RateCardRow[], currency: string): ReadonlyMap<string, string> {
  return new Map(
    prices.flatMap(({ zone, up_to_pounds, price, cost }) => [
      [cellKey(zone, up_to_pounds, "price"), plainMoney(price, currency)],
      [cellKey(zone, up_to_pounds, "cost"), plainMoney(cost, currency)],
    ]),
  );
}

/** Whether a text is an amount. */
const isAmount = (text: string): boolean => /^\d{1,6}(\.\d{1,3})?$/.test(text);

/** The rows for the API. Empty cells are left out. */
function rowsOf({ zones, weights }: PriceGrid, cells: ReadonlyMap<string, string>) {
  return weights.flatMap((up_to_pounds) =>
    zones.flatMap((zone) => {
      const price = cells.get(cellKey(zone, up_to_pounds, "price")) ?? "";
      const cost = cells.get(cellKey(zone, up_to_pounds, "cost")) ?? "";
      return price === "" ? [] : { zone, up_to_pounds, price, ...(cost === "" ? {} : { cost }) };
    }),
  );
}

/** The cells filled by pasted spreadsheet text, starting at one cell. Values beyond the table are ignored. */
function pasted(text: string, { zones, weights }: PriceGrid, zone: string, pounds: number | null, side: PriceSide) {
  const [left, top] = [zones.indexOf(zone), weights.indexOf(pounds)];
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.flatMap((line, down) =>
    line.split("\t").flatMap((cell, across) => {
      const [at, row] = [zones[left + across], top + down];
      if (at === undefined || row >= weights.length) return [];
      return [[cellKey(at, weights[row] ?? null, side), cell.trim().replace(/^[$€£]\s*/, "")] as const];
    }),
  );
}

const texts = shippingTexts.cards;
const cells_max = 3000;

/** The price table of a card. All changed cells are saved at once. */
export function PriceTable({ card, etag }: { readonly card: RateCard; readonly etag: string | null }) {
  const [side, setSide] = useState<PriceSide>("price");
  const [grid, setGrid] = useState<PriceGrid>(() => gridOf(card.prices));
  const [cells, setCells] = useState(() => cellsOf(card.prices, card.currency));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const before = cellsOf(card.prices, card.currency);
  const changed = [...cells].filter(([key, text]) => (before.get(key) ?? "") !== text).length;
  const wrong = [...cells].some(([, text]) => text !== "" && !isAmount(text));
  useUnsaved(changed > 0);
  const enter = (entries: readonly (readonly [string, string])[]) => setCells(new Map([...cells, ...entries]));
  const revert = () => {
    setCells(before);
    setGrid(gridOf(card.prices));
    setProblem(null);
  };
  const save = async () => {
    setBusy(true);
    try {
      await patch<RateCard>(`/shipping/rate_cards/${card.id}`, { prices: rowsOf(grid, cells) }, { match: etag });
      setProblem(null);
      showSuccess(texts.saved(card.name));
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  if (grid.zones.length * grid.weights.length > cells_max) {
    return <Notice kind="info">{texts.tooMany(count(card.prices.length))}</Notice>;
  }
  return (
    <div class="price-sheet">
      <div class="price-bar">
        <fieldset class="choices">
          <legend class="unseen">{texts.prices}</legend>
          {(["price", "cost"] as const).map((one) => (
            <label key={one}>
              <input type="radio" name="price-side" checked={side === one} onChange={() => setSide(one)} />
              {one === "price" ? texts.charged : texts.cost}
            </label>
          ))}
        </fieldset>
        {may("shipping.manage") && (
          <>
            <ActionButton of={addLine("row", grid, setGrid)} />
            <ActionButton of={addLine("zone", grid, setGrid)} />
          </>
        )}
      </div>
      {problem && <Notice problem={problem} />}
      <PriceSheet grid={grid} cells={cells} before={before} side={side} enter={enter} />
      {changed > 0 && (
        <div class="price-save" role="status">
          <span>{texts.unsaved(changed)}</span>
          <Button title={words.leave} onClick={revert} disabled={busy} />
          <Button
            kind="primary"
            title={texts.save}
            busy={busy || isOutdated(etag)}
            disabled={wrong}
            onClick={() => void save()}
          />
        </div>
      )}
    </div>
  );
}

interface PriceSheetProps {
  readonly grid: PriceGrid;
  readonly cells: ReadonlyMap<string, string>;
  readonly before: ReadonlyMap<string, string>;
  readonly side: PriceSide;
  readonly enter: (entries: readonly (readonly [string, string])[]) => void;
}

const weightWords = (pounds: number | null) => (pounds === null ? texts.each : texts.pounds(pounds));

function PriceSheet({ grid, cells, before, side, enter }: PriceSheetProps) {
  const editable = may("shipping.manage");
  const move = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    const by = { ArrowDown: 1, ArrowUp: -1, Enter: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const line = event.currentTarget.closest("tr");
    const next = by > 0 ? line?.nextElementSibling : line?.previousElementSibling;
    const at = [...(line?.querySelectorAll("input") ?? [])].indexOf(event.currentTarget);
    next?.querySelectorAll("input")[at]?.select();
  };
  return (
    <div class="table-box" role="region" aria-label={texts.prices} tabIndex={0}>
      <table class="table prices">
        <thead>
          <tr>
            <th scope="col">{texts.upTo}</th>
            {grid.zones.map((zone) => (
              <th key={zone} scope="col" class="right">
                {texts.zone(zone)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {grid.weights.map((pounds) => (
            <tr key={pounds ?? "each"}>
              <th scope="row">{weightWords(pounds)}</th>
              {grid.zones.map((zone) => {
                const key = cellKey(zone, pounds, side);
                const text = cells.get(key) ?? "";
                const isChanged = (before.get(key) ?? "") !== text;
                return (
                  <td key={zone} class={isChanged ? "changed" : ""}>
                    <input
                      aria-label={texts.cell(zone, weightWords(pounds))}
                      aria-invalid={text !== "" && !isAmount(text) ? true : undefined}
                      title={text !== "" && !isAmount(text) ? texts.wrongCell : undefined}
                      inputMode="decimal"
                      autocomplete="off"
                      value={text}
                      readOnly={!editable}
                      onFocus={(event) => event.currentTarget.select()}
                      onInput={(event) => enter([[key, event.currentTarget.value.trim()]])}
                      onKeyDown={move}
                      onPaste={(event) => {
                        const pasted_text = event.clipboardData?.getData("text") ?? "";
                        if (!editable || !/[\t\n]/.test(pasted_text)) return;
                        event.preventDefault();
                        enter(pasted(pasted_text, grid, zone, pounds, side));
                      }}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Adds a row or a column, whose cells start empty. */
function addLine(what: "row" | "zone", { zones, weights }: PriceGrid, set: (grid: PriceGrid) => void): Action {
  const title = what === "row" ? texts.addRow : texts.addZone;
  const field = { name: "line", label: what === "row" ? texts.newRow : texts.newZone, required: true, focus: true };
  const empty = { price: 0, cost: 0 };
  return {
    title,
    icon: "plus",
    ask: {
      title,
      fields: [what === "row" ? { ...field, kind: "number", unit: "lb" } : { ...field, kind: "text" }],
      submit: words.addRow,
    },
    run: ({ line }) => {
      const text = String(line).trim();
      const prices = zones.flatMap((zone) => weights.map((up_to_pounds) => ({ zone, up_to_pounds, ...empty })));
      const pounds = Math.max(1, Math.round(Number(text)) || 1);
      const added =
        what === "row"
          ? zones.map((zone) => ({ zone, up_to_pounds: pounds, ...empty }))
          : weights.map((up_to_pounds) => ({ zone: text, up_to_pounds, ...empty }));
      set(gridOf([...prices, ...added]));
    },
  };
}
