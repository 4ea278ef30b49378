// Ships many orders: buys their labels, prints them with the packing slips, then picks, packs and ships.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isOperatorUser, may } from "../../api/session.ts";
import { backTo, navigate } from "../../browser/router.ts";
import { useShortcuts } from "../../browser/shortcuts.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { EmptyState, Notice, Skeleton } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { batchTexts as texts } from "../../text/batch.ts";
import { BatchTable, costsOf, ForAll, sumsOf, surplusOf, totalOf } from "./batch_rows.tsx";
import { Batch, type BatchStep } from "./batch_work.ts";
import { PurchaseProblem, SampleNotice } from "./label_rates.tsx";

const stepsOfUser = (): readonly BatchStep[] => {
  const works = isOperatorUser.value && may("orders.fulfill");
  return ([] as BatchStep[]).concat(may("shipping.buy") ? "buy" : [], works ? ["print", "ship"] : []);
};

/** A step as its button shows it. */
interface Offer {
  readonly step: BatchStep;
  readonly title: string;
  readonly run: () => void;
}

/** The steps with work to do, in their order. */
function offersOf(batch: Batch): readonly Offer[] {
  const [buyable, printable, shippable] = [batch.buyable.value, batch.printable.value, batch.shippable.value];
  const packed = shippable.every(({ order }) => order.status === "fulfilled");
  const buy = () => void batch.buy().catch(showRefused);
  const all: readonly (Offer & { readonly count: number })[] = [
    {
      step: "buy",
      count: buyable.length,
      title: texts.buy(buyable.length, totalOf(buyable.flatMap(({ rate }) => rate ?? []))),
      run: buy,
    },
    { step: "print", count: printable.length, title: texts.print(printable.length), run: () => print(batch) },
    {
      step: "ship",
      count: shippable.length,
      title: packed ? texts.shipPacked(shippable.length) : texts.ship(shippable.length),
      run: () => void ship(batch),
    },
  ];
  const steps = stepsOfUser();
  return all.filter(({ step, count }) => count > 0 && steps.includes(step));
}

function print(batch: Batch): void {
  const rows = batch.printable.peek().length > 0 ? batch.printable.peek() : batch.labelled.peek();
  batch.print(rows, ["label", "packing_slip"], window.open("", "_blank")).catch(showRefused);
}

function printPickLists(batch: Batch): void {
  const rows = batch.rows.peek().filter(({ hindered }) => hindered === null);
  batch.print(rows, ["pick_list"], window.open("", "_blank")).catch(showRefused);
}

async function ship(batch: Batch): Promise<void> {
  try {
    showSuccess(texts.shipped(await batch.ship()));
  } catch (error) {
    showRefused(error);
  }
}

/** The screen of the tab's batch. Its next step is the main button, which has the focus. */
export function BatchScreen({ back }: ScreenProps) {
  const [batch] = useState(() => new Batch());
  const [read, setRead] = useState(false);
  useEffect(() => {
    void batch.open().finally(() => setRead(true));
    return () => batch.close();
  }, []);
  const rows = batch.rows.value;
  if (batch.ids.value.length === 0) {
    const toList = <LinkButton kind="primary" title={texts.toList} href={backTo("/orders")} />;
    return (
      <Page title={texts.start} back={back}>
        <EmptyState icon="truck" title={texts.none} text={texts.noneText} act={toList} />
      </Page>
    );
  }
  if (rows.length === 0 && !read) return <Skeleton lines={12} />;
  return (
    <Page title={texts.title(batch.ids.value.length)} back={back}>
      <Notices batch={batch} />
      {batch.rows.value.some(({ labelled, hindered }) => !labelled && hindered === null) && <ForAll batch={batch} />}
      <BatchTable batch={batch} />
      <BatchBar batch={batch} />
    </Page>
  );
}

/** What concerns several orders: sample prices, the warehouse's address, and the printed file. */
function Notices({ batch }: { readonly batch: Batch }) {
  const problems = batch.rows.value.flatMap(({ problem }) => problem ?? []);
  const [address] = problems.filter(({ fields }) => fields.some(({ code }) => code === "example_address"));
  const file = batch.file.value;
  return (
    <>
      <SampleNotice of={batch.buyable.value.flatMap(({ rate }) => rate ?? [])} />
      {address && <PurchaseProblem problem={address} />}
      {batch.unread.value > 0 && <Notice kind="warning">{texts.unread(batch.unread.value)}</Notice>}
      {file?.status === "failed" && <Notice kind="problem">{texts.notDrawn}</Notice>}
      {file?.status === "completed" && (
        <Notice kind={file.skipped.length > 0 ? "warning" : "done"}>
          {file.url !== null && (
            <p>
              {texts.fileReady(file.pages ?? 0)}{" "}
              <a href={file.url} target="_blank" rel="noreferrer">
                {texts.file}
              </a>
            </p>
          )}
          {file.skipped.length > 0 && (
            <>
              <p>{texts.notPrinted}</p>
              <ul>
                {file.skipped.map(({ order_id, order_number, document, message }) => (
                  <li key={`${order_id} ${document} ${message}`}>
                    <b>{order_number}</b> {message}
                  </li>
                ))}
              </ul>
            </>
          )}
        </Notice>
      )}
    </>
  );
}

/** The state of the batch, and its next steps. */
function BatchBar({ batch }: { readonly batch: Batch }) {
  const work = batch.work.value;
  const busy = work !== null || batch.asking.value;
  const offers = offersOf(batch);
  const [next, ...later] = offers;
  const failed = batch.failed.value.length;
  const latest = useRef(offers);
  latest.current = busy ? [] : offers;
  const run = (step?: BatchStep) => latest.current.find((one) => step === undefined || one.step === step)?.run();
  const names = offers.map(({ step }) => step);
  useShortcuts([
    { keys: "Ctrl Enter", title: texts.keys.next },
    ...(batch.differing.value.length > 0 ? [{ keys: "d", title: texts.keys.differ, run: () => filter(batch) }] : []),
    ...(failed > 0 ? [{ keys: "r", title: texts.keys.retry, run: () => void batch.retry() }] : []),
    ...names.map((step) => ({
      keys: step[0] === "b" ? "l" : (step[0] ?? ""),
      title: texts.keys[step],
      run: () => run(step),
    })),
  ]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      run();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const now = document.activeElement;
    const isFree = now === null || now === document.body || now.tagName === "H1" || bar.current?.contains(now);
    if (!busy && isFree) bar.current?.querySelector<HTMLElement>(".primary")?.focus({ preventScroll: true });
  }, [busy, next?.step]);
  return (
    <section ref={bar} class="bulk-bar batch-bar" aria-label={texts.steps}>
      <div role="status" class="batch-state">
        {work !== null ? texts.working[work.step](work.done, work.total) : batch.asking.value ? texts.asking : null}
        {!busy && <Summary batch={batch} />}
      </div>
      <Differing batch={batch} />
      <span class="batch-acts">
        {stepsOfUser().includes("print") && next?.step !== undefined && (
          <Button
            kind="plain"
            icon="print"
            title={texts.pickLists}
            disabled={busy}
            onClick={() => printPickLists(batch)}
          />
        )}
        {failed > 0 && <Button title={texts.retry(failed)} disabled={busy} onClick={() => void batch.retry()} />}
        {batch.file.value !== null && !names.includes("print") && batch.labelled.value.length > 0 && (
          <Button title={texts.printAgain} icon="print" disabled={busy} onClick={() => print(batch)} />
        )}
        {later.map(({ step, title, run: start }) => (
          <Button key={step} title={title} disabled={busy} onClick={start} />
        ))}
        {next === undefined ? (
          <Button kind="primary" title={texts.finish} disabled={busy} onClick={() => navigate(backTo("/orders"))} />
        ) : (
          <Button kind="primary" title={next.title} busy={busy} onClick={next.run} />
        )}
      </span>
    </section>
  );
}

/** Shows only the orders that differ from the rules, or all again. */
function filter(batch: Batch): void {
  batch.only_differing.value = !batch.only_differing.peek();
}

/** How many orders differ from the rules and what that costs, as a filter of the table. */
function Differing({ batch }: { readonly batch: Batch }) {
  const differing = batch.differing.value;
  if (differing.length === 0) return null;
  const [surplus, ...others] = sumsOf(differing.flatMap(surplusOf));
  const text = surplus === undefined || others.length > 0 ? "" : texts.surplus(surplus.rate, surplus.currency);
  return (
    <button
      type="button"
      class={batch.only_differing.value ? "filter flag set" : "filter flag"}
      aria-pressed={batch.only_differing.value}
      onClick={() => filter(batch)}
    >
      {texts.state.differ(differing.length, text)}
    </button>
  );
}

/** How many orders have come how far. */
function Summary({ batch }: { readonly batch: Batch }) {
  const rows = batch.rows.value;
  const bought = rows.filter(({ labels }) => labels.some(({ status }) => status === "completed"));
  const shipped = rows.filter(({ order }) => order.status === "shipped" || order.status === "delivered").length;
  const skipped = rows.filter(({ hindered }) => hindered !== null).length - shipped;
  const parts: readonly [number, (count: number) => ComponentChildren][] = [
    [bought.length, (count) => texts.state.bought(count, totalOf(bought.flatMap(costsOf)))],
    [batch.waiting.value.length, texts.state.waiting],
    [bought.filter(({ order }) => batch.isPrinted(order)).length, texts.state.printed],
    [shipped, texts.state.shipped],
    [skipped, texts.state.skipped],
    [batch.toChoose.value.length, texts.state.choose],
  ];
  return <>{parts.flatMap(([count, text]) => (count > 0 ? text(count) : [])).join(" · ")}</>;
}
