import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { meant, ownerOf } from "../../api/merchants.ts";
import { may } from "../../api/session.ts";
import type { WaitingUnits } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { FormDialog } from "../../components/form.tsx";
import { ListPage } from "../../components/list_page.tsx";
import { EmptyState } from "../../components/notice.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showSuccess as toast } from "../../components/toasts.tsx";
import { Time } from "../../components/values.tsx";
import { count } from "../../text/format.ts";
import { restockTexts as texts } from "../../text/transfers.ts";
import { enteredNumber, enteredText, useWarehouses } from "./stock_links.ts";

/** The restock tasks. */
export function PutBacksScreen() {
  const { several, options, nameOf } = useWarehouses();
  const [chosen, setChosen] = useState<WaitingUnits | null>(null);
  const columns: readonly TableColumn<WaitingUnits>[] = [
    { id: "sku", title: texts.sku, cell: ({ sku }) => <code>{sku}</code> },
    { id: "units", title: texts.units, align: "right", cell: ({ quantity }) => count(quantity) },
    { id: "lot", title: texts.lot, cell: ({ lot_number }) => lot_number ?? "" },
    { id: "from", title: texts.from, cell: ({ bin }) => <code>{bin}</code> },
    { id: "to", title: texts.to, cell: ({ suggested_bin }) => suggested_bin && <code>{suggested_bin}</code> },
    ...(several
      ? [{ id: "warehouse", title: texts.warehouse, cell: ({ location }: WaitingUnits) => nameOf(location) }]
      : []),
    {
      id: "cause",
      title: texts.cause,
      wide: true,
      cell: ({ order_id, return_id }) =>
        return_id === null ? (
          <a href={to(`/orders/${order_id}`)}>{texts.order(order_id)}</a>
        ) : (
          <a href={to(`/returns/${return_id}`)}>{texts.return_(return_id)}</a>
        ),
    },
    { id: "since", title: texts.since, cell: ({ waiting_since }) => <Time at={waiting_since} /> },
  ];
  const acts = (row: WaitingUnits) => <Button title={texts.restock} onClick={() => setChosen(row)} />;
  return (
    <>
      <ListPage<WaitingUnits>
        name={texts.title}
        title={texts.title}
        path="/inventory/putbacks"
        search={{ param: "sku", hint: texts.search }}
        filters={several ? [{ kind: "choice", param: "location", title: texts.warehouse, options }] : []}
        columns={columns}
        id={(it) => [it.order_id, it.return_id, it.sku, it.lot_number, it.bin, ownerOf(it)].join(" ")}
        {...(may("stock.floor") ? { rowActs: acts } : {})}
        empty={
          <EmptyState
            icon="return"
            title={texts.emptyTitle}
            text={texts.emptyText}
            act={<LinkButton title={texts.emptyAct} href={to("/stock")} />}
          />
        }
      />
      {chosen && <PutBackDialog waiting={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

function PutBackDialog({ waiting, onClose }: { readonly waiting: WaitingUnits; readonly onClose: () => void }) {
  const { sku, quantity, lot_number, location, order_id, return_id, suggested_bin } = waiting;
  return (
    <FormDialog
      title={texts.restockTitle(sku)}
      text={texts.restockText}
      submit={texts.restock}
      onClose={onClose}
      first={{ quantity: String(quantity), bin: suggested_bin ?? "" }}
      fields={[
        { kind: "number", name: "quantity", label: texts.units, required: true, width: "half" },
        { kind: "text", name: "bin", label: texts.bin, required: true, mono: true, width: "half", focus: true },
      ]}
      onSubmit={async (values, key) => {
        const whose = return_id === null ? { order_id } : { return_id };
        const lot = lot_number === null ? {} : { lot_number };
        const [units, bin] = [enteredNumber(values["quantity"]), enteredText(values["bin"])];
        const merchant = meant(waiting);
        await post("/inventory/putbacks", { ...whose, sku, ...lot, location, quantity: units, bin }, { key, merchant });
        toast(texts.done(units ?? 0, sku, bin ?? ""));
      }}
    >
      {(values) => {
        const [units, bin] = [enteredNumber(values["quantity"]), enteredText(values["bin"])];
        if (units === null || bin === undefined) return null;
        return <p class="will">{texts.will(units, Math.max(0, quantity - units), bin)}</p>;
      }}
    </FormDialog>
  );
}
