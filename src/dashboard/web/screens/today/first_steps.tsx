import { may } from "../../api/session.ts";
import type { Overview } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Card } from "../../kit/page.tsx";
import { todayTexts as texts } from "../../texts/today.ts";

type Steps = Overview["first_steps"];

const steps = [
  { id: "product", href: "/products/new", permission: "catalog.write" },
  { id: "stock", href: "/stock", permission: "stock.write" },
  { id: "order", href: "/orders/new", permission: "orders.write" },
  { id: "shipped_order", href: "/orders", permission: "orders.read" },
  { id: "used_key", href: "/settings/keys", permission: "keys.manage" },
] as const;

/** The first steps of a new installation. Each is ticked once it is done. */
export function FirstSteps({ steps: done }: { readonly steps: Steps }) {
  const next = steps.find(({ id }) => !done[id]);
  return (
    <Card title={texts.start}>
      <p class="today-note">{texts.startText}</p>
      <ol class="first-steps">
        {steps.map(({ id, href, permission }) => {
          const [title, text, act] = texts.steps[id];
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
              {!done[id] && may(permission) && (
                <LinkButton kind={id === next?.id ? "primary" : "normal"} title={act} href={to(href)} />
              )}
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
