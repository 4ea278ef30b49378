import { useState } from "preact/hooks";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { Order, Return } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge, stateWords } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/page.tsx";
import { useAgain } from "../../kit/use_again.ts";
import { Time } from "../../kit/values.tsx";
import { orderTexts as texts } from "../../texts/order.ts";
import { ReturnDialog } from "../returns/create.tsx";
import { canReturn } from "./acts/acts.tsx";

/** The returns of an order. */
export function ReturnsCard({ order }: { readonly order: Order }) {
  const [open, setOpen] = useState(false);
  const shipped = order.line_items.some((line) => line.quantity_shipped > 0);
  const seen = shipped && may("returns.read");
  const { data: returns, reload } = useQuery<readonly Return[]>(seen ? "/returns" : null, {
    order_id: order.id,
    limit: 50,
  });
  useAgain(order.version, reload);
  if (!seen) return null;
  return (
    <Card
      title={texts.returns}
      acts={
        canReturn(order) &&
        may("returns.write") && (
          <Button icon="return" title={texts.acts["return"] ?? ""} onClick={() => setOpen(true)} />
        )
      }
    >
      <ul class="linked-list">
        {returns?.map(({ id, status, reason, created_at }) => (
          <li key={id}>
            <a href={to(`/returns/${id}`)}>{id}</a> <Badge state={status} />
            <span class="muted">
              {stateWords(reason)}, <Time at={created_at} />
            </span>
          </li>
        ))}
        {returns?.length === 0 && <li class="muted">–</li>}
      </ul>
      {open && <ReturnDialog order={order} onClose={() => setOpen(false)} />}
    </Card>
  );
}
