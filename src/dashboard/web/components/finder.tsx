import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { words } from "../text/common.ts";
import { Notice } from "./notice.tsx";
import { useLatest } from "./reading.ts";

interface FinderProps<Item> {
  /** The id of the field, if it has a visible label of its own. */
  readonly field_id?: string | undefined;
  readonly label: string;
  readonly placeholder?: string;
  /** The title of the chosen item, which is shown until the user types; empty without one. */
  readonly shown?: string;
  /** Called when the user deletes that title. */
  readonly onClear?: () => void;
  /** Whether it offers items before the user types. */
  readonly suggests?: boolean;
  /** The items that match the text, best first. */
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Item[]>;
  readonly id: (item: Item) => string;
  readonly item: (item: Item) => ComponentChildren;
  readonly onChoose: (item: Item) => void;
  /** An additional option below the results. */
  readonly other?: { readonly title: (text: string) => string; readonly run: (text: string) => void };
  readonly field?: RefObject<HTMLInputElement | null>;
  readonly focus?: boolean;
  readonly invalid?: boolean;
}

/** The typed text, the results and the selection. */
function useFinder<Item>({ find, onChoose, other, shown: title = "", onClear, suggests = false }: FinderProps<Item>) {
  // Null until the user types or, with `suggests`, opens the list.
  const [text, setText] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const [entered, setEntered] = useState(false);
  const query = text?.trim() ?? "";
  const asked = text === null || (query === "" && !suggests) ? null : query;
  const { data, problem, asking } = useLatest(asked, (signal) => find(query, signal), 120);
  const found = data ?? [];
  const count = found.length + (other && query !== "" ? 1 : 0);
  useEffect(() => setAt(0), [data]);
  const type = (typed: string) => {
    setText(typed);
    setEntered(false);
    setOpen(true);
    if (typed === "" && title !== "") onClear?.();
  };
  const close = () => {
    setOpen(false);
    if (suggests) setText(null);
  };
  const suggest = () => {
    if (suggests && text === null) setText("");
    setOpen(true);
  };
  const choose = (place: number) => {
    const chosen = found[place];
    if (chosen === undefined) {
      if (place !== found.length || other === undefined) return;
      other.run(query);
    } else onChoose(chosen);
    setText(null);
    setOpen(false);
  };
  useEffect(() => {
    if (!entered || asking) return;
    setEntered(false);
    choose(0);
  }, [entered, asking]);
  const enter = () => {
    // A scanner sends Enter before the search ends, so the item is chosen when the results arrive.
    if (asking) setEntered(true);
    else if (open) choose(at);
  };
  const move = (step: number) => {
    suggest();
    setAt((at + step + count) % Math.max(1, count));
  };
  const shown = open && asked !== null && (found.length > 0 || !asking);
  const onKeyDown = (event: KeyboardEvent) =>
    onFinderKey(event, {
      step: suggests || count > 0 ? move : null,
      enter: asked === null ? null : enter,
      close: open && text !== null ? close : null,
    });
  const list = { found, count, at, setAt, choose };
  return { text: text ?? title, type, query, suggest, close, onKeyDown, shown, problem, ...list };
}

interface FinderKeys {
  readonly step: ((step: number) => void) | null;
  readonly enter: (() => void) | null;
  readonly close: (() => void) | null;
}

/** Runs what a key means now. Otherwise the key has its usual meaning: Enter submits the form. */
function onFinderKey(event: KeyboardEvent, { step, enter, close }: FinderKeys): void {
  const { key, ctrlKey, metaKey } = event;
  const up_or_down = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (up_or_down !== undefined && step) step(up_or_down);
  else if (key === "Enter" && !ctrlKey && !metaKey && enter) enter();
  else if (key === "Escape" && close) close();
  else return;
  event.preventDefault();
  if (key === "Escape") event.stopPropagation();
}

/** A field that searches while the user types. Arrow keys move, Enter chooses, Esc closes. */
export function Finder<Item>(props: FinderProps<Item>) {
  const { field_id, label, placeholder, id, item, other, focus = false, invalid = false } = props;
  const own = useRef<HTMLInputElement>(null);
  const field = props.field ?? own;
  const list = useId();
  const { text, type, query, found, count, at, setAt, choose, suggest, close, onKeyDown, shown, problem } =
    useFinder(props);
  useEffect(() => {
    if (focus) field.current?.focus();
  }, []);
  useEffect(() => document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: "nearest" }), [at, shown]);
  const one = { list, at, setAt, choose };
  return (
    <div class="finder">
      <input
        ref={field}
        id={field_id}
        type="text"
        role="combobox"
        aria-label={field_id === undefined ? label : undefined}
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={list}
        aria-activedescendant={shown && count > 0 ? `${list}-${at}` : undefined}
        aria-invalid={invalid ? true : undefined}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onFocus={(event) => (props.suggests ? event.currentTarget.select() : suggest())}
        onClick={suggest}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label={label} class="finder-list" hidden={!shown}>
        {shown &&
          found.map((thing, place) => (
            <FinderChoice key={id(thing)} {...one} place={place}>
              {item(thing)}
            </FinderChoice>
          ))}
        {shown && other && (
          <FinderChoice key="other" {...one} place={found.length}>
            {other.title(query)}
          </FinderChoice>
        )}
        {shown && count === 0 && (
          <div class="muted" role="option" aria-selected={false} aria-disabled={true}>
            {words.nothingFound}
          </div>
        )}
      </div>
      {problem && <Notice problem={problem} />}
    </div>
  );
}

interface FinderChoiceProps {
  readonly list: string;
  readonly place: number;
  readonly at: number;
  readonly setAt: (at: number) => void;
  readonly choose: (place: number) => void;
  readonly children: ComponentChildren;
}

function FinderChoice({ list, place, at, setAt, choose, children }: FinderChoiceProps) {
  return (
    <div
      id={`${list}-${place}`}
      role="option"
      aria-selected={place === at}
      tabIndex={-1}
      class={place === at ? "chosen" : ""}
      onMouseMove={() => setAt(place)}
      // The field keeps the focus.
      onMouseDown={(event) => {
        event.preventDefault();
        choose(place);
      }}
    >
      {children}
    </div>
  );
}
