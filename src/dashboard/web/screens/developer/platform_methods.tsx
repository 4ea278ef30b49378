import type { PlatformConnection, PlatformShippingMethod } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import { to } from "../../browser/router.ts";
import { EmptyState, Notice, Skeleton } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { platformTexts as texts } from "../../text/platforms.ts";

const rulesPath = "/shipping/rules";

const columns: readonly TableColumn<PlatformShippingMethod>[] = [
  { id: "method", title: texts.method, cell: ({ shipping_method }) => shipping_method ?? texts.noMethod, wide: true },
  { id: "code", title: texts.methodCode, text: "shipping_method_code" },
  { id: "orders", title: texts.methodOrders, number: "orders" },
  { id: "last", title: texts.lastOrder, time: "last_order_at" },
  { id: "rules", title: texts.methodRules, cell: (method) => <Rules method={method} /> },
];

/** The shipping methods of a store's newest orders, and the rules that name them. */
export function ShippingMethods({ shop }: { readonly shop: PlatformConnection }) {
  const path = `/platforms/${shop.id}/shipping_methods`;
  const { data: methods, problem, loading } = useQuery<readonly PlatformShippingMethod[]>(path);
  return (
    <div class="stack">
      {problem && <Notice problem={problem} />}
      {loading && <Skeleton />}
      {methods?.length === 0 && <EmptyState icon="truck" title={texts.methodsEmpty} text={texts.methodsEmptyText} />}
      {methods !== undefined && methods.length > 0 && (
        <>
          <p>{texts.methodsText}</p>
          <Card flush>
            <DataTable name={texts.methods} rows={methods} columns={columns} id={keyOf} of_one />
          </Card>
        </>
      )}
    </div>
  );
}

const keyOf = ({ shipping_method, shipping_method_code }: PlatformShippingMethod) =>
  JSON.stringify([shipping_method, shipping_method_code]);

/** The rules that name a method, or the way to add one. Rules are the operator's. */
function Rules({ method }: { readonly method: PlatformShippingMethod }) {
  const { shipping_method, shipping_method_code, rule_ids } = method;
  if (rule_ids.length > 0) {
    return (
      <>
        {rule_ids.map((id, at) => (
          <>
            {at > 0 && ", "}
            {isOperatorUser.value ? <a href={to(rulesPath, { rule: id })}>{id}</a> : id}
          </>
        ))}
      </>
    );
  }
  const name = shipping_method_code ?? shipping_method;
  if (name === null || !isOperatorUser.value || !may("shipping.manage")) return <>{texts.noRule}</>;
  return <a href={to(rulesPath, { method: name })}>{texts.makeRule}</a>;
}
