import { useState } from "preact/hooks";
import { saveFile } from "../../api/client.ts";
import { openMerchants } from "../../api/merchants.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import type { Explanation, Placed, StockOfSku } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import { ActionMenu, type MenuAct } from "../../components/menu.tsx";
import { PageMerchant } from "../../components/merchant_field.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { count } from "../../text/format.ts";
import { stockTexts as texts } from "../../text/stock.ts";
import { Ledger } from "./ledger.tsx";
import { LotsOfSku } from "./lot_list.tsx";
import { Picture } from "./stock_chart.tsx";
import { Demand, Incoming } from "./stock_demand.tsx";
import { AddDialog, AdjustDialog, MoveDialog, OffSaleDialog, OwnershipDialog } from "./stock_dialogs.tsx";
import { stockHref } from "./stock_links.ts";
import { StockBadge } from "./stock_list.tsx";
import { Places } from "./stock_places.tsx";

interface StockAct {
  readonly kind: "adjust" | "move" | "off_sale" | "add" | "give";
  readonly at?: Placed | undefined;
}

/** One SKU: stock breakdown, locations, ledger, lots, demand and incoming units. */
export function SkuScreen({ params }: ScreenProps) {
  const sku = params["sku"] ?? "";
  const { data: stock, problem, loading, reload } = useQuery<StockOfSku>(`/inventory/${encodeURIComponent(sku)}`);
  const { data: explanation } = useQuery<Explanation>(`/inventory/${encodeURIComponent(sku)}/explain`);
  const { data: places = [] } = useQuery<readonly Placed[]>(isOperatorUser.value ? "/inventory/items" : null, {
    ...{ sku, sort: "bin", limit: 100 },
  });
  const [act, setAct] = useState<StockAct | null>(null);
  const back = { href: to("/stock"), title: texts.title };
  if (loading) return <Skeleton />;
  if (stock === undefined) return <Unfound sku={sku} back={back} problem={problem} onRetry={reload} />;
  const parts = explanation?.components;
  return (
    <Page
      title={stock.name}
      back={back}
      badge={<StockBadge status={stock.status} />}
      owned={stock}
      below={
        <>
          <code>{sku}</code> · {texts.reorderNote(stock.reorder_point)}
        </>
      }
      acts={<Acts sku={sku} bundle={parts !== undefined} places={places} onAct={(kind) => setAct({ kind })} />}
    >
      <div class="stack">
        <Card title={texts.picture}>{parts ? <Parts parts={parts} stock={stock} /> : <Picture level={stock} />}</Card>
        <SkuTabs stock={stock} explanation={explanation} places={places} onAct={(kind, at) => setAct({ kind, at })} />
      </div>
      {act && <StockActDialog act={act} sku={sku} places={places} onClose={() => setAct(null)} />}
    </Page>
  );
}

interface UnfoundProps {
  readonly sku: string;
  readonly back: { readonly href: string; readonly title: string };
  readonly problem: ApiProblem | null;
  readonly onRetry: () => Promise<void>;
}

/** Shown for an unknown SKU, or to choose among several merchants with the same SKU. */
function Unfound({ sku, back, problem, onRetry }: UnfoundProps) {
  if (problem?.code !== "merchant_required") {
    return (
      <Page title={texts.unknownSku} back={back}>
        {problem && <Notice problem={problem} onRetry={onRetry} />}
      </Page>
    );
  }
  return (
    <Page title={sku} back={back}>
      <Notice kind="info">{texts.sharedSku}</Notice>
      <PageMerchant />
    </Page>
  );
}

interface SkuTabsProps {
  readonly stock: StockOfSku;
  readonly explanation: Explanation | undefined;
  readonly places: readonly Placed[];
  readonly onAct: (kind: StockAct["kind"], at: Placed) => void;
}

/** The tabs of a SKU. A bundle has no units of its own, and merchant users do not see bins. */
function SkuTabs({ stock, explanation, places, onAct }: SkuTabsProps) {
  const { sku, lot_tracking, lots, on_hand } = stock;
  const isSet = explanation?.components !== undefined;
  const acts = (at: Placed) => rowActs(at, (kind) => onAct(kind, at));
  const placesTab = {
    id: "places",
    title: texts.places,
    count: places.length,
    content: () => <Places rows={places} of="sku" acts={acts} />,
  };
  const lotsTab = { id: "lots", title: texts.lots, count: lots.length, content: () => <LotsOfSku sku={sku} /> };
  const ledgerTab = { id: "ledger", title: texts.ledger, content: () => <Ledger of={{ sku }} on_hand={on_hand} /> };
  return (
    <Tabs
      name={stock.name}
      tabs={[
        ...(isSet || !isOperatorUser.value ? [] : [placesTab]),
        {
          id: "demand",
          title: texts.demand,
          content: () => (explanation ? <Demand explanation={explanation} /> : <Skeleton />),
        },
        {
          id: "incoming",
          title: texts.incomingTab,
          content: () => (explanation ? <Incoming explanation={explanation} /> : <Skeleton />),
        },
        ...(lot_tracking ? [lotsTab] : []),
        ...(isSet ? [] : [ledgerTab]),
      ]}
    />
  );
}

interface StockActDialogProps {
  readonly act: StockAct;
  readonly sku: string;
  readonly places: readonly Placed[];
  readonly onClose: () => void;
}

function StockActDialog({ act: { kind, at }, ...props }: StockActDialogProps) {
  if (kind === "add") return <AddDialog sku={props.sku} onClose={props.onClose} />;
  if (kind === "adjust") return <AdjustDialog {...props} at={at} />;
  if (kind === "give") return <OwnershipDialog {...props} at={at} />;
  return kind === "move" ? <MoveDialog {...props} at={at} /> : <OffSaleDialog {...props} at={at} />;
}

/** The actions on the units of one place. */
function rowActs({ kind }: Placed, act: (kind: StockAct["kind"]) => void): readonly MenuAct[] {
  if (kind === "staging") return [];
  const moves = kind === "storage" || kind === "quarantine" || kind === "damage";
  return [
    ...(may("stock.write") ? [{ title: texts.adjust, icon: "adjust" as const, run: () => act("adjust") }] : []),
    ...(may("stock.floor") && moves
      ? [{ title: texts.move, icon: "arrowRight" as const, run: () => act("move") }]
      : []),
    ...(may("stock.floor") && kind === "storage"
      ? [{ title: texts.quarantine, icon: "pause" as const, danger: true, run: () => act("off_sale") }]
      : []),
  ];
}

interface StockActsProps {
  readonly sku: string;
  readonly bundle: boolean;
  readonly places: readonly Placed[];
  readonly onAct: (kind: StockAct["kind"]) => void;
}

function Acts({ sku, bundle, places, onAct }: StockActsProps) {
  const product = () => navigate(to("/products", { q: sku }));
  const exportLedger = () =>
    void saveFile("/inventory/movements/export.csv", `ledger-${sku}.csv`, "text/csv", { sku }).catch(showRefused);
  const hasLots = places.some(({ lot_id }) => lot_id !== null);
  if (bundle) return <ActionMenu items={[{ title: texts.productPage, icon: "tag", run: product }]} />;
  return (
    <>
      <ActionMenu
        items={[
          ...(may("stock.floor")
            ? [{ title: texts.quarantine, icon: "pause" as const, danger: true, run: () => onAct("off_sale") }]
            : []),
          ...(may("stock.write") && hasLots
            ? [
                {
                  title: texts.recall,
                  icon: "alert" as const,
                  run: () => navigate(stockHref(sku, {}, { tab: "lots" })),
                },
              ]
            : []),
          ...(may("stock.write") && openMerchants.value.length > 1 && places.some(({ kind }) => kind === "storage")
            ? [{ title: texts.ownership, icon: "customers" as const, run: () => onAct("give") }]
            : []),
          { title: texts.exportLedger, icon: "download", run: exportLedger },
          { title: texts.productPage, icon: "tag", run: product },
        ]}
      />
      {may("stock.floor") && places.length > 0 && (
        <Button icon="arrowRight" title={texts.move} onClick={() => onAct("move")} />
      )}
      {may("stock.write") && places.length > 0 && (
        <Button icon="adjust" title={texts.adjust} onClick={() => onAct("adjust")} />
      )}
      {may("stock.write") && <Button kind="primary" icon="plus" title={texts.add} onClick={() => onAct("add")} />}
    </>
  );
}

type ExplainedComponent = NonNullable<Explanation["components"]>[number];

function Parts({ parts, stock }: { readonly parts: readonly ExplainedComponent[]; readonly stock: StockOfSku }) {
  const fewest = Math.min(...parts.map(({ sets }) => sets));
  const columns: readonly TableColumn<ExplainedComponent>[] = [
    { id: "sku", title: texts.sku, cell: ({ sku }) => <code>{sku}</code> },
    { id: "needed", title: texts.setsOf, cell: ({ quantity }) => texts.partsNeeded(quantity), wide: true },
    { id: "available", title: texts.available, align: "right", cell: ({ available }) => count(available) },
    {
      id: "sets",
      title: texts.enoughFor,
      align: "right",
      cell: ({ sets }) => (sets === fewest ? `${texts.sets(sets)} · ${texts.scarcest}` : texts.sets(sets)),
    },
  ];
  return (
    <>
      <p class="picture-sum parts">
        <strong>{texts.sets(stock.available)}</strong> <span class="muted">{texts.bundleText}</span>
      </p>
      <DataTable
        name={texts.setsOf}
        rows={parts}
        columns={columns}
        id={({ sku }) => sku}
        href={({ sku }) => stockHref(sku)}
      />
    </>
  );
}
