import { useEffect, useState } from "preact/hooks";
import { patch } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { may } from "../../api/session.ts";
import { guardLeaving } from "../../browser/router.ts";
import { Button } from "../../kit/button.tsx";
import { askToDiscard, FormDialog } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { said } from "../../shell/toasts.tsx";
import { words } from "../../texts/common.ts";
import { count } from "../../texts/format.ts";
import { shippingTexts } from "../../texts/shipping.ts";
import { cellKey, cellsOf, type Grid, gridOf, isAmount, pasted, rowsOf, type Side } from "./prices.ts";
import type { RateCard } from "./types.ts";

const texts = shippingTexts.cards;
const cells_max = 3000;

interface Props {
  readonly card: RateCard;
  readonly etag: string | null;
}

/** The price table of a card. All changed cells are saved at once. */
export function PriceTable({ card, etag }: Props) {
  const [side, setSide] = useState<Side>("price");
  const [grid, setGrid] = useState<Grid>(() => gridOf(card.prices));
  const [cells, setCells] = useState(() => cellsOf(card.prices, card.currency));
  const [asking, setAsking] = useState<"row" | "zone" | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const before = cellsOf(card.prices, card.currency);
  const changed = [...cells].filter(([key, text]) => (before.get(key) ?? "") !== text).length;
  const wrong = [...cells].some(([, text]) => text !== "" && !isAmount(text));
  useKeptEntries(changed > 0);
  const enter = (entries: readonly (readonly [string, string])[]) => setCells(new Map([...cells, ...entries]));
  const revert = () => {
    setCells(before);
    setGrid(gridOf(card.prices));
    setProblem(null);
  };
  const save = async () => {
    setBusy(true);
    try {
      await patch<RateCard>(`/shipping/rate-cards/${card.id}`, { prices: rowsOf(grid, cells) }, { match: etag });
      setProblem(null);
      said(texts.saved(card.name));
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
            <Button icon="plus" title={texts.addRow} onClick={() => setAsking("row")} />
            <Button icon="plus" title={texts.addZone} onClick={() => setAsking("zone")} />
          </>
        )}
      </div>
      {problem && <Notice problem={problem} />}
      <Sheet grid={grid} cells={cells} before={before} side={side} enter={enter} />
      {changed > 0 && (
        <div class="price-save" role="status">
          <span>{texts.unsaved(changed)}</span>
          <Button title={texts.revert} onClick={revert} disabled={busy} />
          <Button kind="primary" title={texts.save} busy={busy} disabled={wrong} onClick={() => void save()} />
        </div>
      )}
      {asking && <AddLine what={asking} grid={grid} onDone={setGrid} onClose={() => setAsking(null)} />}
    </div>
  );
}

interface SheetProps {
  readonly grid: Grid;
  readonly cells: ReadonlyMap<string, string>;
  readonly before: ReadonlyMap<string, string>;
  readonly side: Side;
  readonly enter: (entries: readonly (readonly [string, string])[]) => void;
}

const weightWords = (pounds: number | null) => (pounds === null ? texts.each : texts.pounds(pounds));

function Sheet({ grid, cells, before, side, enter }: SheetProps) {
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
                        const given = event.clipboardData?.getData("text") ?? "";
                        if (!editable || !/[\t\n]/.test(given)) return;
                        event.preventDefault();
                        enter(pasted(given, grid, zone, pounds, side));
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

interface AddProps {
  readonly what: "row" | "zone";
  readonly grid: Grid;
  readonly onDone: (grid: Grid) => void;
  readonly onClose: () => void;
}

/** Asks for a new row or column. Its cells are empty, and an empty cell is no price. */
function AddLine({ what, grid, onDone, onClose }: AddProps) {
  const label = what === "row" ? texts.newRow : texts.newZone;
  return (
    <FormDialog
      title={what === "row" ? texts.addRow : texts.addZone}
      fields={[
        what === "row"
          ? { kind: "number", name: "line", label, required: true, unit: "lb", focus: true }
          : { kind: "text", name: "line", label, required: true, focus: true },
      ]}
      first={{ line: "" }}
      submit={words.addRow}
      onClose={onClose}
      onSubmit={async ({ line }) => {
        const text = String(line).trim();
        const prices = grid.zones.flatMap((zone) =>
          grid.weights.map((up_to_pounds) => ({ zone, up_to_pounds, price: 0, cost: 0 })),
        );
        const added =
          what === "row"
            ? grid.zones.map((zone) => ({
                zone,
                up_to_pounds: Math.max(1, Math.round(Number(text)) || 1),
                price: 0,
                cost: 0,
              }))
            : grid.weights.map((up_to_pounds) => ({ zone: text, up_to_pounds, price: 0, cost: 0 }));
        onDone(gridOf([...prices, ...added]));
      }}
    />
  );
}

/** Asks before the user leaves the screen with unsaved prices. */
function useKeptEntries(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return;
    return guardLeaving((go) => {
      void askToDiscard().then((leave) => leave && go());
      return true;
    });
  }, [unsaved]);
}
