import { meant, several } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import type { Bin, Placed, StockCount } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { openDialog } from "../../components/dialog.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { Tabs } from "../../components/tabs.tsx";
import { Figure, Figures } from "../../components/values.tsx";
import { count } from "../../text/format.ts";
import { stockTexts } from "../../text/stock.ts";
import { binTexts as texts } from "../../text/warehouses.ts";
import { Ledger } from "../stock/ledger.tsx";
import { AdjustDialog, MoveDialog } from "../stock/stock_dialogs.tsx";
import { useWarehouses } from "../stock/stock_links.ts";
import { Places } from "../stock/stock_places.tsx";
import { AssignedTo, assignedTo, assignmentWords, editBin } from "./bin_reservation.tsx";

/** One bin: its fill, contents and movements. */
export function BinScreen({ params }: ScreenProps) {
  const { warehouse: location = "", bin: code = "" } = params;
  const { nameOf } = useWarehouses();
  const { data: found, problem, loading } = useQuery<readonly Bin[]>("/inventory/bins", { location, bin: code });
  const filters = { location, bin: code, limit: 100 };
  const { data: rows = [] } = useQuery<readonly Placed[]>("/inventory/items", filters);
  const back = { href: to("/bins", { location, bin: code }), title: texts.title };
  const bin = found?.[0];
  if (loading) return <Skeleton />;
  if (bin === undefined) {
    return (
      <Page title={texts.unknownBin} back={back}>
        {problem && <Notice problem={problem} />}
      </Page>
    );
  }
  const openCount: Action = {
    title: texts.count,
    icon: "clipboard",
    button: true,
    permission: "stock.write",
    call: { method: "POST", path: "/inventory/counts", body: { location, bins: [code] } },
    after: ({ id }: StockCount) => navigate(to(`/counts/${id}`)),
  };
  const open = (kind: "move" | "adjust", at: Placed) => () =>
    openDialog((close) => <RowDialog kind={kind} at={at} onClose={close} />);
  const acts = (at: Placed): readonly Action[] => [
    { title: stockTexts.move, icon: "arrowRight", permission: "stock.floor", run: open("move", at) },
    { title: stockTexts.adjust, icon: "adjust", permission: "stock.write", run: open("adjust", at) },
  ];
  return (
    <Page
      title={texts.one(code)}
      back={back}
      below={nameOf(location)}
      acts={<Actions of={[openCount, { ...editBin(bin), button: true }]} />}
    >
      <div class="stack">
        <Facts bin={bin} />
        <Tabs
          name={texts.one(code)}
          tabs={[
            {
              id: "contents",
              title: texts.contents,
              count: rows.length,
              content: () => <Places rows={rows} of="bin" acts={acts} />,
            },
            {
              id: "ledger",
              title: texts.ledger,
              content: () => <Ledger of={{ location, bin: code }} on_hand={null} />,
            },
          ]}
        />
      </div>
    </Page>
  );
}

interface RowDialogProps {
  readonly kind: "move" | "adjust";
  readonly at: Placed;
  readonly onClose: () => void;
}

/** The dialog of an action on the units of a row. */
function RowDialog({ kind, at, onClose }: RowDialogProps) {
  // Another merchant may have the same SKU, even in this bin.
  const params = { sku: at.sku, merchant: meant(at), limit: 100 };
  const { data: places } = useQuery<readonly Placed[]>("/inventory/items", params);
  if (places === undefined) return null;
  const own = { sku: at.sku, places, at, onClose };
  return kind === "move" ? <MoveDialog {...own} /> : <AdjustDialog {...own} />;
}

const keepingNote = (bin: Bin) => (assignedTo(bin) === null ? assignmentWords(bin) : undefined);

function Facts({ bin }: { readonly bin: Bin }) {
  const { used, capacity, free, skus, kind, zone_id, temperature_zone, temperature_range, pick_order } = bin;
  return (
    <Figures>
      <Figure
        name={texts.used}
        value={count(used)}
        note={
          capacity === null ? (
            texts.noCapacity
          ) : (
            <>
              <meter class="fill" min={0} max={Math.max(capacity, 1)} value={used} aria-label={texts.legend}>
                {texts.fillOf(used, capacity)}
              </meter>
              {texts.ofCapacity(capacity)}
            </>
          )
        }
      />
      {free !== null && <Figure name={texts.free} value={count(free)} note={texts.units} />}
      <Figure name={texts.skus} value={count(skus)} />
      <Figure
        name={texts.zone}
        value={zone_id}
        note={[temperature_zone && texts.zones[temperature_zone], temperature_range].filter(Boolean).join(" · ")}
      />
      {several.value && (
        <Figure name={texts.reservedForTitle} value={<AssignedTo bin={bin} />} note={keepingNote(bin)} />
      )}
      <Figure name={texts.kind} value={texts.kinds[kind]} note={`${texts.pickOrder}: ${count(pick_order)}`} />
    </Figures>
  );
}
