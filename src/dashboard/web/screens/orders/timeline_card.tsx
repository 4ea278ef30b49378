import { useState } from "preact/hooks";
import { useNewest } from "../../api/query.ts";
import type { Order, OrderHistory, OrderNote } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { Timeline } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { stateWords } from "../../text/states.ts";
import { AddNote, noteEntry } from "./tags_and_notes.tsx";

// The last page may have a single entry.
const first_pages = 2;
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

/** The history and the notes of an order, newest first, with user and request. */
export function TimelineCard({ order }: { readonly order: Order }) {
  const [pages, setPages] = useState(first_pages);
  const history = useNewest<OrderHistory>(`/orders/${order.id}/history`, pages);
  const notes = useNewest<OrderNote>(`/orders/${order.id}/notes`, pages);
  // Older ones may still be missing among entries from before this time.
  const since = [history, notes].map(({ more, rows }) => (more ? (rows[0]?.created_at ?? "") : "")).sort();
  const entries = [...history.rows.map(entryOf), ...notes.rows.map(noteEntry)]
    .filter(({ at }) => at >= (since.at(-1) ?? ""))
    .sort((a, b) => (a.at < b.at ? 1 : -1));
  return (
    <Card title={words.history} acts={<AddNote order={order} />}>
      {history.problem && <Notice problem={history.problem} />}
      <Timeline entries={entries} />
      {(history.more || notes.more) && <Button title={texts.showOlder} onClick={() => setPages(pages + 1)} />}
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
        {note && <Note text={inWords[event]?.(note) ?? note} />}
      </>
    ),
    ...(tone === undefined ? {} : { tone }),
  };
}

/** Notes that name fields and states as the API does, in words. */
const inWords: Readonly<Record<string, (note: string) => string>> = {
  // `packing_note: none > Fragile` becomes `Packing note: none → Fragile`.
  update: (note) =>
    note
      .replaceAll(/(^|, )([a-z_]+)(?=: |$)/g, (_all, before, name) => before + stateWords(name))
      .replaceAll(" > ", " → "),
  // `1Z999: in_transit. Left the hub.` becomes `1Z999: In transit. Left the hub.`
  tracking: (note) => note.replace(/: ([a-z_]+)(?=\.|$)/, (_all, status) => `: ${stateWords(status)}`),
};

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
