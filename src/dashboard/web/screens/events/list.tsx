import type { ApiEvent } from "../../api/developer_types.ts";
import { to } from "../../browser/router.ts";
import { LinkButton } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty_state.tsx";
import { ListPage } from "../../kit/list_page.tsx";
import type { Column } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { eventTexts as texts } from "../../texts/events.ts";
import { titles } from "../../texts/navigation.ts";
import { webhookTexts } from "../../texts/webhooks.ts";
import { aboutEvent } from "./about.ts";
import { eventTypes } from "./types.ts";

const columns: readonly Column<ApiEvent>[] = [
  { id: "type", title: texts.type, cell: ({ type }) => <code>{type}</code> },
  { id: "about", title: texts.about, cell: (event) => aboutEvent(event)?.name ?? "", wide: true },
  { id: "id", title: texts.id, extra: true, cell: ({ id }) => <code>{id}</code> },
  { id: "at", title: texts.at, cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The list of events. */
export function EventsScreen() {
  return (
    <ListPage<ApiEvent>
      name={titles.events}
      title={titles.events}
      path="/events"
      sort="-created_at"
      filters={[
        {
          kind: "choice",
          param: "type",
          title: texts.type,
          options: eventTypes.map((type) => ({ value: type, title: type })),
        },
        { kind: "date", param: "created_after", title: texts.since },
      ]}
      columns={columns}
      id={({ id }) => id}
      href={({ id }) => to(`/settings/events/${id}`)}
      empty={
        <EmptyState
          icon="zap"
          title={texts.emptyTitle}
          text={texts.emptyText}
          act={<LinkButton kind="primary" icon="webhook" title={webhookTexts.add} href={to("/settings/webhooks")} />}
        />
      }
    />
  );
}
