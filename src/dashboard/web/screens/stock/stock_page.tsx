import { saveFile } from "../../api/client.ts";
import { openMerchants } from "../../api/merchants.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser } from "../../api/session.ts";
import type { Explanation, Placed, StockOfSku } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { openDialog } from "../../components/dialog.tsx";
import { PageMerchant } from "../../components/merchant_field.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { words } from "../../text/common.ts";
import { stockTexts as texts } from "../../text/stock.ts";
import { Ledger } from "./ledger.tsx";
import { LotsOfSku } from "./lot_list.tsx";
import { Picture } from "./stock_chart.tsx";
import { Demand, Incoming } from "./stock_demand.tsx";
import { AddDialog, AdjustDialog, MoveDialog, OffSaleDialog, OwnershipDialog } from "./stock_dialogs.tsx";
import { stockHref } from "./stock_links.ts";
import { Places } from "./stock_places.tsx";

/** One SKU: stock breakdown, locations, ledger, lots, demand and incoming units. */
export function SkuScreen({ params, back }: ScreenProps) {
  const sku = params["sku"] ?? "";
  const { data: stock, problem, loading, reload } = useQuery<StockOfSku>(`/inventory/${encodeURIComponent(sku)}`);
  const { data: explanation } = useQuery<Explanation>(`/inventory/${encodeURIComponent(sku)}/explain`);
  const { data: places = [] } = useQuery<readonly Placed[]>(isOperatorUser.value ? "/inventory/items" : null, {
    sku,
    sort: "bin",
    limit: 100,
  });
  if (loading) return <Skeleton />;
  if (stock === undefined) return <Unfound sku={sku} back={back} problem={problem} onRetry={reload} />;
  const parts = explanation?.components;
  return (
    <Page
      title={stock.name}
      back={back}
      badge={<Badge of="stock" state={stock.status} />}
      owned={stock}
      below={
        <>
          <code>{sku}</code> · {texts.reorderNote(stock.reorder_point)}
        </>
      }
      acts={<Actions of={parts === undefined ? stockActions(sku, places) : [productPage(sku)]} />}
    >
      <div class="stack">
        <Card title={texts.picture}>{parts ? <Parts parts={parts} stock={stock} /> : <Picture level={stock} />}</Card>
        <SkuTabs stock={stock} explanation={explanation} places={places} />
      </div>
    </Page>
  );
}

interface UnfoundProps {
  readonly sku: string;
  readonly back: ScreenProps["back"];
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
}

/** The tabs of a SKU. A bundle has no units of its own, and merchant users do not see bins. */
function SkuTabs({ stock, explanation, places }: SkuTabsProps) {
  const { sku, lot_tracking, lots, on_hand } = stock;
  const isSet = explanation?.components !== undefined;
  const acts = (at: Placed) => placeActions(sku, places, at);
  const placesTab = {
    id: "places",
    title: words.locations,
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
          title: words.incoming,
          content: () => (explanation ? <Incoming explanation={explanation} /> : <Skeleton />),
        },
        ...(lot_tracking ? [lotsTab] : []),
        ...(isSet ? [] : [ledgerTab]),
      ]}
    />
  );
}

const isMovable = ({ kind }: Placed) => kind === "storage" || kind === "quarantine" || kind === "damage";

/** The actions on the units of one place. */
function placeActions(sku: string, places: readonly Placed[], at: Placed): readonly Action[] {
  if (at.kind === "staging") return [];
  const open = (Shown: typeof AdjustDialog) => () =>
    openDialog((close) => <Shown sku={sku} places={places} at={at} onClose={close} />);
  return [
    { title: texts.adjust, icon: "adjust", permission: "stock.write", run: open(AdjustDialog) },
    { title: texts.move, icon: "arrowRight", permission: "stock.floor", when: isMovable(at), run: open(MoveDialog) },
    {
      title: texts.quarantine,
      icon: "pause",
      danger: true,
      permission: "stock.floor",
      when: at.kind === "storage",
      run: open(OffSaleDialog),
    },
  ];
}

const productPage = (sku: string): Action => ({
  title: texts.productPage,
  icon: "tag",
  href: to("/products", { q: sku }),
});

/** The actions on the stock of a SKU. */
function stockActions(sku: string, places: readonly Placed[]): readonly Action[] {
  const open = (Shown: typeof AdjustDialog) => () =>
    openDialog((close) => <Shown sku={sku} places={places} onClose={close} />);
  const some = places.length > 0;
  const canGive = openMerchants.value.length > 1 && places.some(({ kind }) => kind === "storage");
  const [floor, write] = [{ permission: "stock.floor" }, { permission: "stock.write" }] as const;
  return [
    {
      title: texts.add,
      icon: "plus",
      button: "primary",
      ...write,
      run: () => openDialog((close) => <AddDialog sku={sku} onClose={close} />),
    },
    { title: texts.adjust, icon: "adjust", button: true, ...write, when: some, run: open(AdjustDialog) },
    { title: texts.move, icon: "arrowRight", button: true, ...floor, when: some, run: open(MoveDialog) },
    { title: texts.quarantine, icon: "pause", danger: true, ...floor, run: open(OffSaleDialog) },
    {
      title: texts.recall,
      icon: "alert",
      ...write,
      when: places.some(({ lot_id }) => lot_id !== null),
      href: stockHref(sku, {}, { tab: "lots" }),
    },
    { title: texts.ownership, icon: "customers", ...write, when: canGive, run: open(OwnershipDialog) },
    {
      title: texts.exportLedger,
      icon: "download",
      run: () => saveFile("/inventory/movements/export.csv", `ledger-${sku}.csv`, "text/csv", { sku }),
    },
    productPage(sku),
  ];
}

type ExplainedComponent = NonNullable<Explanation["components"]>[number];

function Parts({ parts, stock }: { readonly parts: readonly ExplainedComponent[]; readonly stock: StockOfSku }) {
  const fewest = Math.min(...parts.map(({ sets }) => sets));
  const columns: readonly TableColumn<ExplainedComponent>[] = [
    { id: "sku", title: words.sku, code: "sku" },
    { id: "needed", title: texts.setsOf, cell: ({ quantity }) => texts.partsNeeded(quantity), wide: true },
    { id: "available", title: texts.available, number: "available" },
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
