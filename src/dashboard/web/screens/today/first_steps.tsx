import { chosenMerchant } from "../../api/merchants.ts";
import { may, mayAlso, ownMerchant, seesHouse } from "../../api/session.ts";
import type { Overview } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { isTexts, kept } from "../../browser/storage.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Card } from "../../kit/page.tsx";
import { said } from "../../shell/toasts.tsx";
import { words } from "../../texts/common.ts";
import { todayTexts as texts } from "../../texts/today.ts";

/** For whom the card was dismissed in this browser: the codes of merchants, empty for the warehouse. */
const dismissed = kept<readonly string[]>("first_steps_dismissed", [], isTexts);

type Steps = Overview["first_steps"];

const steps = [
  { id: "warehouse", href: "/settings/house", permission: "house.manage" },
  { id: "carrier", href: "/shipping/carriers", permission: "shipping.manage" },
  { id: "product", href: "/products/new", permission: "catalog.write" },
  { id: "stock", href: "/stock", permission: "stock.write" },
  { id: "order", href: "/orders/new", permission: "orders.write" },
  { id: "shipped_order", href: "/orders", permission: "orders.read" },
  { id: "used_key", href: "/settings/keys", permission: "keys.manage" },
] as const;

/** What people of a merchant do otherwise: the warehouse receives and ships for them. */
const steps_of_merchants: Partial<Record<keyof Steps, string>> = { stock: "/receipts/new" };

/** Whether all is done, so that nothing is left to show. One of several merchants need not have a key. */
const isOver = (done: Steps, alone: boolean) =>
  steps.every(({ id }) => done[id] || (id === "used_key" && !alone && done.shipped_order));

/** The first steps of a new installation, or of one of its merchants. Each is ticked once it is done. */
export function FirstSteps({ steps: done }: { readonly steps: Steps }) {
  const merchant = ownMerchant.value ?? chosenMerchant.value;
  const whose = merchant?.code ?? "";
  if (isOver(done, merchant === null) || dismissed.state.value.includes(whose)) return null;
  const dismiss = () => {
    const before = dismissed.state.peek();
    dismissed.set([...before, whose]);
    said(texts.dismissed, { title: words.undo, run: () => dismissed.set(before) });
  };
  // The warehouse's address and carriers are the operator's.
  const shown = steps.filter(({ id }) => seesHouse.value || (id !== "warehouse" && id !== "carrier"));
  const next = shown.find(({ id }) => !done[id]);
  const own: Partial<Record<keyof Steps, readonly [string, string, string]>> = seesHouse.value
    ? {}
    : texts.stepsOfMerchants;
  return (
    <Card
      title={merchant === null ? texts.start : texts.startFor(merchant.name)}
      acts={<Button kind="plain" icon="close" iconOnly title={texts.dismiss} onClick={dismiss} />}
    >
      <p class="today-note">{texts.startText}</p>
      <ol class="first-steps">
        {shown.map(({ id, href, permission }) => {
          const [title, text, act] = own[id] ?? texts.steps[id];
          const announces = !seesHouse.value && id in steps_of_merchants;
          const path = announces ? (steps_of_merchants[id] ?? href) : href;
          const mayDo = announces ? mayAlso : may;
          return (
            <li key={id} class={done[id] ? "done" : ""}>
              <span class="first-tick">
                {done[id] && <Icon name="check" />}
                {done[id] && <span class="unseen">{texts.done}</span>}
              </span>
              <span class="first-text">
                <strong>{title}</strong>
                <small>{text}</small>
              </span>
              {!done[id] && mayDo(permission) && (
                <LinkButton kind={id === next?.id ? "primary" : "normal"} title={act} href={to(path)} />
              )}
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
