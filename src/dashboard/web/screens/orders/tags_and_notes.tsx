// What people attach to an order for each other: tags, and the notes of staff on its timeline.
import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import type { Order, OrderNote, UsedTag } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { orderTexts as texts } from "../../text/order.ts";

/** The tags of an order, each a link to the orders that have it, and a field that adds one. */
export function TagsCard({ order }: { readonly order: Order }) {
  const [typed, setTyped] = useState("");
  const changeable = may("orders.write");
  const { data: used } = useQuery<readonly UsedTag[]>(changeable ? "/order_tags" : null);
  const change = (action: "tag" | "untag", tag: string) => {
    post(`/orders/${order.id}/${action}`, { tags: [tag] }).catch(showRefused);
  };
  const add = () => {
    const tag = typed.trim();
    setTyped("");
    if (tag !== "") change("tag", tag);
  };
  const own = new Set(order.tags.map((tag) => tag.toLowerCase()));
  const others = [...new Set((used ?? []).map(({ tag }) => tag))].filter((tag) => !own.has(tag.toLowerCase()));
  if (!changeable && order.tags.length === 0) return null;
  return (
    <Card title={words.tags}>
      {order.tags.length > 0 && (
        <ul class="tags">
          {order.tags.map((tag) => (
            <li key={tag}>
              <a href={to("/orders", { tag })}>{tag}</a>
              {changeable && (
                <Button
                  kind="plain"
                  icon="close"
                  iconOnly
                  title={texts.removeTag(tag)}
                  onClick={() => change("untag", tag)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {changeable && (
        <form
          class="add-tag"
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <input
            type="text"
            list="tags-in-use"
            maxLength={40}
            aria-label={texts.addTag}
            placeholder={texts.addTag}
            value={typed}
            autocomplete="off"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <datalist id="tags-in-use">
            {others.map((tag) => (
              <option key={tag} value={tag} />
            ))}
          </datalist>
          <Button title={texts.add} submit disabled={typed.trim() === ""} />
        </form>
      )}
    </Card>
  );
}

/** The button that adds a note to an order. */
export function AddNote({ order }: { readonly order: Order }) {
  const add: Action = {
    title: texts.addNote,
    icon: "plus",
    button: "plain",
    permission: "orders.write",
    ask: {
      title: texts.addNote,
      text: texts.addNoteText,
      fields: [
        { kind: "text", name: "text", label: texts.note, lines: 4, required: true, focus: true },
        ...(isOperatorUser.value
          ? [{ kind: "switch" as const, name: "shared", label: texts.shareNote, help: texts.shareNoteHelp }]
          : []),
      ],
      first: isOperatorUser.value ? { text: "", shared: false } : { text: "" },
      submit: words.save,
    },
    call: (_, body) => ({ method: "POST", path: `/orders/${order.id}/notes`, body }),
  };
  return <ActionButton of={add} />;
}

/** A note as an entry of the order's timeline. */
export function noteEntry({ id, created_at, shared, author, text }: OrderNote) {
  return {
    id,
    at: created_at,
    title: (
      <>
        {texts.note}
        {isOperatorUser.value && shared && (
          <>
            {" "}
            <Badge tone="neutral">{texts.noteShared}</Badge>
          </>
        )}
      </>
    ),
    by: `${texts.by[author.type] ?? author.type} ${author.name}`,
    note: <span class="note-text">{text}</span>,
    tone: "note",
  };
}
