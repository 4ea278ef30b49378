import { useQuery } from "../../api/query.ts";
import type { Order, OrderHistory } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Notice } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { Timeline } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { stateWords } from "../../text/states.ts";
import { AddNote, useNotes } from "./tags_and_notes.tsx";

const most = 100;
const tones: Readonly<Record<string, string>> = {
  hold: "warning",
  short_pick: "warning",
  unpick: "warning",
  unpack: "warning",
  unpack_part: "warning",
  reopen: "warning",
  backordered: "warning",
  cancel: "bad",
  cancel_items: "bad",
  ship: "good",
  deliver: "good",
};

/** The history of an order, newest first, with user and request. */
export function TimelineCard({ order }: { readonly order: Order }) {
  const path = `/orders/${order.id}/history`;
  const first = useQuery<readonly OrderHistory[]>(path, { limit: most });
  const total = first.pagination?.total ?? 0;
  // The API lists the oldest first, so the newest are on the last page.
  const last = useQuery<readonly OrderHistory[]>(total > most ? path : null, {
    limit: most,
    page: Math.max(1, Math.ceil(total / most)),
  });
  const rows = total > most ? (last.data ?? []) : (first.data ?? []);
  const notes = useNotes(order);
  // Notes from before the shown part of the history are left out with it.
  const since = total > most ? (rows[0]?.created_at ?? "") : "";
  const entries = [...rows.map(entryOf), ...notes.filter(({ at }) => at >= since)].sort((a, b) =>
    a.at < b.at ? 1 : -1,
  );
  return (
    <Card title={words.history} acts={<AddNote order={order} />}>
      {first.problem && <Notice problem={first.problem} />}
      <Timeline entries={entries} />
      {total > most && <p class="muted">{texts.timelineAll(rows.length)}</p>}
    </Card>
  );
}

function entryOf({ id, event, from_status, to_status, reason, note, actor, request_id, created_at }: OrderHistory) {
  const moved = from_status !== null && from_status !== to_status;
  const kind = texts.by[actor.type] ?? actor.type;
  const tone = tones[event];
  return {
    id,
    at: created_at,
    title: (
      <>
        {texts.events[event] ?? stateWords(event)}
        {moved && texts.events[event] !== stateWords(to_status) && (
          <span class="muted"> → {stateWords(to_status)}</span>
        )}
      </>
    ),
    by: (
      <span title={request_id === null ? undefined : words.requestId(request_id)}>
        {kind} {actor.name}
      </span>
    ),
    note: (reason || note) && (
      <>
        {reason && <span>{event === "shipping_rule" ? reason : stateWords(reason)}</span>}
        {reason && note && ": "}
        {note && <Note text={event === "update" ? changesText(note) : note} />}
      </>
    ),
    ...(tone === undefined ? {} : { tone }),
  };
}

/** The changes of an order in words: `packing_note: none > Fragile` becomes `Packing note: none → Fragile`. */
function changesText(note: string): string {
  return note
    .replaceAll(/(^|, )([a-z_]+)(?=: |$)/g, (_all, before, name) => before + stateWords(name))
    .replaceAll(" > ", " → ");
}

const named = /(\b(?:ord|ret)_\d+\b)/;

/** A note with links to the orders and returns that it names. */
function Note({ text }: { readonly text: string }) {
  return (
    <span>
      {text.split(named).map((part, at) => {
        if (at % 2 === 0) return part;
        return (
          <a key={`${at} ${part}`} href={to(part.startsWith("ord_") ? `/orders/${part}` : `/returns/${part}`)}>
            {part}
          </a>
        );
      })}
    </span>
  );
}
