import type { LoggedRequest } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { to } from "../../browser/router.ts";
import { Badge } from "../../kit/badge.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Columns, Page } from "../../kit/page.tsx";
import { RecordName } from "../../kit/record_name.tsx";
import type { ScreenProps } from "../../kit/screen.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { CopyField, DescriptionList, Time } from "../../kit/values.tsx";
import { bytes, count } from "../../texts/format.ts";
import { titles } from "../../texts/navigation.ts";
import { requestTexts as texts } from "../../texts/requests.ts";
import { statusTone } from "./list.tsx";

/** One request: its parameters, sender and answer. */
export function RequestScreen({ params }: ScreenProps) {
  const { data: request, problem, loading, reload } = useQuery<LoggedRequest>(`/requests/${params["id"]}`);
  const back = { href: to("/settings/requests"), title: titles.requests };
  if (loading) return <Skeleton />;
  if (!request) {
    return (
      <Page title={titles.request} back={back}>
        {problem && <Notice problem={problem} onRetry={reload} />}
      </Page>
    );
  }
  const { status, error_code, route, actor_id } = request;
  return (
    <Page
      title={`${request.method} ${request.path}`}
      back={back}
      beside={<Badge tone={statusTone(status)}>{status}</Badge>}
      below={<Time at={request.at} exact />}
    >
      <Columns
        main={
          <Card title={texts.details}>
            <DescriptionList
              facts={[
                [texts.requestId, <CopyField text={request.request_id} name={texts.requestId} />],
                [texts.path, <code>{request.path}</code>],
                [texts.query, request.query === "" ? null : <code>{request.query}</code>],
                [
                  texts.route,
                  route && (
                    <a href={to(`/settings/requests?dashboard_reads=true&route=${encodeURIComponent(route)}`)}>
                      {route}
                    </a>
                  ),
                ],
                [texts.error, error_code && <a href={`/docs/errors#${error_code}`}>{error_code}</a>],
                [texts.duration, texts.milliseconds(count(request.duration_ms))],
                [texts.sent, request.request_bytes === null ? null : bytes(request.request_bytes)],
                [texts.answered, request.response_bytes === null ? null : bytes(request.response_bytes)],
              ]}
            />
            <p class="muted">{texts.unkept}</p>
          </Card>
        }
        side={
          <Card title={texts.who}>
            <DescriptionList
              facts={[
                [texts.actor, actor_id === null ? texts.stranger : <Actor id={actor_id} />],
                [texts.address, request.ip_address],
              ]}
            />
            {actor_id !== null && (
              <a href={to(`/settings/requests?dashboard_reads=true&actor=${actor_id}`)}>{texts.ofActor}</a>
            )}
          </Card>
        }
      />
    </Page>
  );
}

function Actor({ id }: { readonly id: string }) {
  return <RecordName id={id} />;
}
