import { useState } from "preact/hooks";
import { useQuery } from "../../api/query.ts";
import { seesHouse } from "../../api/session.ts";
import type { Label, Order } from "../../api/types.ts";
import { Icon } from "../../kit/icon.tsx";
import { Card } from "../../kit/page.tsx";
import { type Paper, PaperDialog } from "../../kit/paper.tsx";
import { orderTexts as texts } from "../../texts/order.ts";
import { labelPaper } from "../order_parts/paper.ts";

/** The documents of an order. */
export function PapersCard({ order }: { readonly order: Order }) {
  const { data: labels } = useQuery<readonly Label[]>("/shipping/labels", { order_id: order.id, limit: 100 });
  const [open, setOpen] = useState<Paper | null>(null);
  return (
    <Card title={texts.papers}>
      <ul class="papers">
        {papersOf(order, labels ?? []).map((paper) => (
          <li key={paper.title}>
            <button type="button" class="plain" onClick={() => setOpen(paper)}>
              <Icon name="page" />
              {paper.title}
            </button>
          </li>
        ))}
      </ul>
      {open && <PaperDialog paper={open} onClose={() => setOpen(null)} />}
    </Card>
  );
}

function papersOf(order: Order, labels: readonly Label[]): Paper[] {
  const { id, order_number, status } = order;
  const slip = { path: `/orders/${id}/packing-slip`, name: `${order_number}-packing-slip.pdf` };
  const pickable = ["pending", "processing", "on_hold"].includes(status);
  const bought = labels.filter((label) => label.status === "completed");
  return [
    ...(pickable && seesHouse.value
      ? [{ title: texts.pickList, path: `/orders/${id}/pick-list`, name: `${order_number}-pick-list.pdf` }]
      : []),
    { title: texts.packingSlip, ...slip },
    { title: texts.packingSlipPrices, ...slip, params: { prices: true } },
    ...bought.map((label) => labelPaper(label, label.tracking_number ?? label.label_id)),
    ...bought.flatMap((label) =>
      label.documents.flatMap(({ kind }, at) =>
        kind === "customs"
          ? {
              title: texts.customs(label.tracking_number ?? label.label_id),
              path: `/shipping/labels/${label.label_id}/document`,
              params: { document: at },
              name: `${label.tracking_number}-customs.pdf`,
            }
          : [],
      ),
    ),
  ];
}
