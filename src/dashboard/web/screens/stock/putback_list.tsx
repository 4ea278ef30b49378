import { meant, ownerOf } from "../../api/merchants.ts";
import { may } from "../../api/session.ts";
import type { WaitingUnits } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { LinkButton } from "../../components/button.tsx";
import type { FormValues } from "../../components/fields.tsx";
import { ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { restockTexts as texts } from "../../text/transfers.ts";
import { enteredNumber, enteredText, useWarehouses } from "./stock_links.ts";

/** The restock tasks. */
export function PutBacksScreen() {
  const { filter, column } = useWarehouses();
  const columns: readonly TableColumn<WaitingUnits>[] = [
    { id: "sku", title: words.sku, code: "sku" },
    { id: "units", title: words.units, number: "quantity" },
    { id: "lot", title: words.lot, text: "lot_number" },
    { id: "from", title: texts.from, code: "bin" },
    { id: "to", title: texts.to, cell: ({ suggested_bin }) => suggested_bin && <code>{suggested_bin}</code> },
    column(words.warehouse),
    {
      id: "cause",
      title: words.source,
      wide: true,
      cell: ({ order_id, return_id }) =>
        return_id === null ? (
          <a href={to(`/orders/${order_id}`)}>{texts.order(order_id)}</a>
        ) : (
          <a href={to(`/returns/${return_id}`)}>{texts.return_(return_id)}</a>
        ),
    },
    { id: "since", title: words.since, time: "waiting_since" },
  ];
  return (
    <ListPage<WaitingUnits>
      title={texts.title}
      path="/inventory/putbacks"
      search={{ param: "sku", hint: words.sku }}
      filters={[filter(words.warehouse)]}
      columns={columns}
      id={(it) => [it.order_id, it.return_id, it.sku, it.lot_number, it.bin, ownerOf(it)].join(" ")}
      {...(may("stock.floor") && { rowActs: (row: WaitingUnits) => <ActionButton of={restock(row)} /> })}
      empty={{
        icon: "return",
        title: texts.emptyTitle,
        text: texts.emptyText,
        act: <LinkButton title={texts.emptyAct} href={to("/stock")} />,
      }}
    />
  );
}

function restock(waiting: WaitingUnits): Action {
  const { sku, quantity, lot_number, location, order_id, return_id, suggested_bin } = waiting;
  const entered = (values: FormValues) => [enteredNumber(values["quantity"]), enteredText(values["bin"])] as const;
  return {
    title: texts.restock,
    ask: {
      title: texts.restockTitle(sku),
      text: texts.restockText,
      first: { quantity: String(quantity), bin: suggested_bin ?? "" },
      fields: [
        { kind: "number", name: "quantity", label: words.units, required: true, width: "half" },
        { kind: "text", name: "bin", label: words.toBin, required: true, mono: true, width: "half", focus: true },
      ],
      preview: (values) => {
        const [units, bin] = entered(values);
        if (units === null || bin === undefined) return null;
        return <p class="will">{texts.will(units, Math.max(0, quantity - units), bin)}</p>;
      },
    },
    call: (values) => {
      const whose = return_id === null ? { order_id } : { return_id };
      const lot = lot_number === null ? {} : { lot_number };
      const [units, bin] = entered(values);
      const body = { ...whose, sku, ...lot, location, quantity: units, bin };
      return { method: "POST", path: "/inventory/putbacks", body, merchant: meant(waiting) };
    },
    done: (_data, values) => {
      const [units, bin] = entered(values);
      return texts.done(units ?? 0, sku, bin ?? "");
    },
  };
}
