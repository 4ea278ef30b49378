import { may } from "../../api/session.ts";
import type { CustomerDetail, Order } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { List } from "../../components/list_page.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { customerName } from "../../components/pickers.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { CopyField, DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { customerTexts as texts } from "../../text/customers.ts";
import { count, money } from "../../text/format.ts";
import { Addresses } from "./customer_addresses.tsx";
import { CustomerErasure, ErasureNotice, useErasureOf } from "./erasure.tsx";
import { privacyActions } from "./privacy_actions.tsx";

const columns: readonly TableColumn<Order>[] = [
  { id: "order", title: words.order, text: "order_number" },
  { id: "status", title: words.status, cell: ({ status }) => <Badge state={status} /> },
  {
    id: "items",
    title: words.items,
    align: "right",
    cell: ({ line_items }) => count(line_items.reduce((sum, { quantity }) => sum + quantity, 0)),
  },
  { id: "total", title: words.total, align: "right", cell: ({ subtotal, currency }) => money(subtotal, currency) },
  { id: "at", title: words.created, time: "created_at" },
];

/** One customer: contact, addresses and orders. */
export const CustomerScreen = recordScreen("/customers/:id", CustomerPage);

function CustomerPage({ record: customer, etag, back }: RecordProps<CustomerDetail>) {
  const erasure = useErasureOf(customer.id);
  const erased = customer.erased_at !== null;
  const edit: Action = {
    title: words.edit,
    icon: "edit",
    button: true,
    permission: "customers.write",
    when: !erased,
    href: to(`/customers/${customer.id}/change`),
  };
  return (
    <Page
      title={customerName(customer)}
      back={back}
      owned={customer}
      below={customer.company}
      acts={<Actions of={[...privacyActions(customer), edit]} />}
    >
      <Columns
        main={
          <>
            <ErasureNotice customer={customer} {...(erasure && { erasure })} />
            {may("orders.read") && !(erased && customer.order_count === 0) && (
              <Orders id={customer.id} all={customer.order_count} />
            )}
            {!erased && <Addresses customer={customer} etag={etag} />}
            {erasure && <CustomerErasure erasure={erasure} />}
          </>
        }
        side={
          <Card title={words.details}>
            <DescriptionList
              facts={[
                [words.email, erased ? null : <CopyField text={customer.email} name={words.email} />],
                [texts.phone, customer.phone],
                [texts.company, customer.company],
                [words.orders, count(customer.order_count)],
                [texts.created, <Time at={customer.created_at} exact />],
                [words.updated, <Time at={customer.updated_at} />],
              ]}
            />
          </Card>
        }
      />
    </Page>
  );
}

function Orders({ id, all }: { readonly id: string; readonly all: number }) {
  return (
    <section class="stack-small">
      <h2 class="section-title">
        {words.orders} <span class="count">{count(all)}</span>
      </h2>
      <List<Order>
        name={words.orders}
        path="/orders"
        params={{ customer_id: id }}
        limit={10}
        columns={columns}
        of_one
        href={(order) => to(`/orders/${order.id}`)}
        empty={{ icon: "cart", title: texts.noOrders, text: texts.noOrdersText }}
      />
    </section>
  );
}
