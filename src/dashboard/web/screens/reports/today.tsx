import { useEffect } from "preact/hooks";
import { chosenMerchant } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser, may, mayAlso, ownMerchant } from "../../api/session.ts";
import type { Overview } from "../../api/types.ts";
import { isTexts, storedPreference } from "../../browser/preferences.ts";
import { to } from "../../browser/router.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { now } from "../../components/now.ts";
import { Card, Page } from "../../components/page.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { titles } from "../../text/navigation.ts";
import { todayTexts as texts } from "../../text/today.ts";
import { DepartureCards } from "./today_departures.tsx";
import { FloorCard } from "./today_floor.tsx";
import { Plots } from "./today_plots.tsx";
import { SideTopics, WaitingCard } from "./today_topics.tsx";

/** The merchants whose card was dismissed in this browser, by code; empty text for the warehouse. */
const dismissed = storedPreference<readonly string[]>("first_steps_dismissed", [], isTexts);

type FirstStepsState = Overview["first_steps"];

const steps = [
  { id: "warehouse", href: "/settings/house", permission: "operator.manage" },
  { id: "carrier", href: "/shipping/carriers", permission: "shipping.manage" },
  { id: "product", href: "/products/new", permission: "catalog.write" },
  { id: "stock", href: "/stock", permission: "stock.write" },
  { id: "order", href: "/orders/new", permission: "orders.write" },
  { id: "shipped_order", href: "/orders", permission: "orders.read" },
  { id: "used_key", href: "/settings/keys", permission: "keys.manage" },
] as const;

/** Steps that differ for merchant users, because the warehouse receives and ships for them. */
const steps_of_merchants: Partial<Record<keyof FirstStepsState, string>> = { stock: "/receipts/new" };

/** Whether all steps are done. One of several merchants needs no API key. */
const isOver = (done: FirstStepsState, alone: boolean) =>
  steps.every(({ id }) => done[id] || (id === "used_key" && !alone && done.shipped_order));

/** The setup steps of a new installation or merchant. Completed steps are ticked. */
function FirstSteps({ steps: done }: { readonly steps: FirstStepsState }) {
  const merchant = ownMerchant.value ?? chosenMerchant.value;
  const whose = merchant?.code ?? "";
  if (isOver(done, merchant === null) || dismissed.state.value.includes(whose)) return null;
  const dismiss = () => {
    const before = dismissed.state.peek();
    dismissed.set([...before, whose]);
    showSuccess(texts.dismissed, { title: words.undo, run: () => dismissed.set(before) });
  };
  // The warehouse's address and carriers are the operator's.
  const shown = steps.filter(({ id }) => isOperatorUser.value || (id !== "warehouse" && id !== "carrier"));
  const next = shown.find(({ id }) => !done[id]);
  const own: Partial<Record<keyof FirstStepsState, readonly [string, string, string]>> = isOperatorUser.value
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
          const announces = !isOperatorUser.value && id in steps_of_merchants;
          const path = announces ? (steps_of_merchants[id] ?? href) : href;
          const mayDo = announces ? mayAlso : may;
          return (
            <li key={id} class={done[id] ? "done" : ""}>
              <span class="first-tick">
                {done[id] && <Icon name="check" />}
                {done[id] && <span class="unseen">{words.done}</span>}
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

const every_ms = 60_000;

/** Today: departures, what needs attention, stock warnings and plots. */
export function TodayScreen() {
  const { data, problem, loading, reload } = useQuery<Overview>("/overview");
  // Orders become late and lots expire without any change, so the overview is read again over time.
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && void reload(), every_ms);
    return () => clearInterval(timer);
  }, []);
  const day = new Intl.DateTimeFormat([...navigator.languages], { dateStyle: "full" }).format(now.value);
  return (
    <Page title={titles.today} badge={<span class="today-day">{day}</span>}>
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton lines={10} />}
      {data && <Content overview={data} />}
    </Page>
  );
}

function Content({ overview }: { readonly overview: Overview }) {
  const { first_steps, departures } = overview;
  const hasOrders = first_steps.order;
  return (
    <div class="stack">
      <FirstSteps steps={first_steps} />
      {hasOrders && <DepartureCards departures={departures} />}
      {hasOrders && <FloorCard />}
      {(hasOrders || first_steps.stock) && (
        <>
          <WaitingCard topics={overview.waiting} />
          <SideTopics overview={overview} />
        </>
      )}
      {hasOrders && <Plots />}
    </div>
  );
}
