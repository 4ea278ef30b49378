import type { ApiEvent } from "../../api/developer_types.ts";
import { to } from "../../browser/router.ts";
import { LinkButton } from "../../components/button.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { choice, ListPage } from "../../components/list_page.tsx";
import { Card, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { Code, CopyField, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { titles } from "../../text/navigation.ts";
import { eventTexts as texts } from "../../text/requests.ts";
import { webhookTexts } from "../../text/webhooks.ts";
import { stockHref } from "../stock/stock_links.ts";
import { eventTypes } from "./event_types.ts";

/** The resource of an event: its name and the screen that shows it. */
function aboutEvent(event: ApiEvent): { readonly name: string; readonly href: string } | null {
  const { type, data } = event;
  const fields = (data ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string) => (typeof fields[name] === "string" ? (fields[name] as string) : null);
  const [noun] = type.split(".");
  const id = text("id");
  const order_id = text("order_id");
  if (noun === "order" && id !== null) return { name: text("order_number") ?? id, href: to(`/orders/${id}`) };
  const sku = text("sku");
  if (noun === "inventory" && sku !== null) return { name: sku, href: stockHref(sku, event) };
  if (noun === "return" && id !== null) return { name: id, href: to(`/returns/${id}`) };
  const tracking_number = text("tracking_number");
  if (order_id !== null) return { name: tracking_number ?? id ?? order_id, href: to(`/orders/${order_id}`) };
  return null;
}

const columns: readonly TableColumn<ApiEvent>[] = [
  { id: "type", title: texts.type, code: "type" },
  { id: "about", title: texts.about, cell: (event) => aboutEvent(event)?.name ?? "", wide: true },
  { id: "id", title: words.event, code: "id", extra: true },
  { id: "at", title: words.when, time: "created_at" },
];

/** The list of events. */
export function EventsScreen() {
  return (
    <ListPage<ApiEvent>
      title={titles.events}
      path="/events"
      sort="-created_at"
      filters={[
        choice("type", texts.type, optionsOf(eventTypes)),
        { kind: "date", param: "created_after", title: words.since },
      ]}
      columns={columns}
      href={({ id }) => to(`/settings/events/${id}`)}
      empty={{
        icon: "zap",
        title: texts.emptyTitle,
        text: texts.emptyText,
        act: <LinkButton kind="primary" icon="webhook" title={webhookTexts.add} href={to("/settings/webhooks")} />,
      }}
    />
  );
}

/** One event with its JSON. */
export const EventScreen = recordScreen("/events/:id", EventPage);

function EventPage({ record: event, back }: RecordProps<ApiEvent>) {
  const about = aboutEvent(event);
  return (
    <Page
      title={event.type}
      back={back}
      badge={<Time at={event.created_at} exact />}
      owned={event}
      below={<CopyField text={event.id} name={words.event} />}
      acts={about && <LinkButton title={texts.open} icon="right" href={about.href} />}
    >
      <Card title={texts.json}>
        {event.data === null ? (
          <p>{texts.deleted}</p>
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
