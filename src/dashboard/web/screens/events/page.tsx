import type { ApiEvent } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { to } from "../../browser/router.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Code } from "../../kit/code.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Page } from "../../kit/page.tsx";
import type { ScreenProps } from "../../kit/screen.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { CopyField, Time } from "../../kit/values.tsx";
import { eventTexts as texts } from "../../texts/events.ts";
import { titles } from "../../texts/navigation.ts";
import { aboutEvent } from "./about.ts";

/** One event with its JSON. */
export function EventScreen({ params }: ScreenProps) {
  const { data: event, problem, loading, reload } = useQuery<ApiEvent>(`/events/${params["id"]}`);
  const back = { href: to("/settings/events"), title: titles.events };
  if (loading) return <Skeleton />;
  if (!event) {
    return (
      <Page title={titles.event} back={back}>
        {problem && <Notice problem={problem} onRetry={reload} />}
      </Page>
    );
  }
  const about = aboutEvent(event);
  return (
    <Page
      title={event.type}
      back={back}
      beside={<Time at={event.created_at} exact />}
      owned={event}
      below={<CopyField text={event.id} name={texts.id} />}
      acts={about && <LinkButton title={texts.open} icon="right" href={about.href} />}
    >
      <Card title={texts.json}>
        {event.data === null ? (
          <p>{texts.forgotten}</p>
        ) : (
          <>
            <p class="muted">{texts.jsonText}</p>
            <Code name={texts.json} text={JSON.stringify(event, null, 2)} />
          </>
        )}
      </Card>
    </Page>
  );
}
