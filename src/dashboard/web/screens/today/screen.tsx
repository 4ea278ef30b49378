import { useEffect } from "preact/hooks";
import { useQuery } from "../../api/query.ts";
import type { Overview } from "../../api/types.ts";
import { Notice } from "../../kit/notice.tsx";
import { now } from "../../kit/now.ts";
import { Page } from "../../kit/page.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { titles } from "../../texts/navigation.ts";
import { DepartureCards } from "./departures.tsx";
import { FirstSteps } from "./first_steps.tsx";
import { Plots } from "./plots.tsx";
import { SideTopics, WaitingCard } from "./topics.tsx";

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
    <Page title={titles.today} beside={<span class="today-day">{day}</span>}>
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
