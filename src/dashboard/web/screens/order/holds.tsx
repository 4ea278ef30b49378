import { useState } from "preact/hooks";
import type { Order } from "../../api/types.ts";
import { stateWords } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Time } from "../../kit/values.tsx";
import { moment } from "../../texts/format.ts";
import { orderTexts as texts } from "../../texts/order.ts";
import { isReleasable, mayAct, OneAct } from "./acts/acts.tsx";

/** The holds of an order and how each ends. */
export function Holds({ order, etag }: { readonly order: Order; readonly etag: string | null }) {
  const [releasing, setReleasing] = useState(false);
  if (order.holds.length === 0) return null;
  const releasable = mayAct("release") && isReleasable(order);
  return (
    <>
      {order.holds.map((hold) => (
        <Notice key={hold.id} kind="warning">
          <p>
            <strong>{texts.heldNow(stateWords(hold.reason).toLowerCase())}</strong>{" "}
            <span class="muted">
              {texts.since} <Time at={hold.created_at} />
              {hold.hold_until && `, ${texts.until} ${moment(hold.hold_until)}`}
            </span>
          </p>
          {hold.note && <p>{hold.note}</p>}
          {hold.lifted_by === "cause" && <p class="muted">{texts.endsByCause}</p>}
        </Notice>
      ))}
      {releasable && (
        <p class="holds-release">
          <Button icon="play" title={texts.acts["release"] ?? ""} onClick={() => setReleasing(true)} />
        </p>
      )}
      {releasing && <OneAct order={order} etag={etag} action="release" onClose={() => setReleasing(false)} />}
    </>
  );
}
