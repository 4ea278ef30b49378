import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { words } from "../text/common.ts";
import { Notice } from "./notice.tsx";
import { useLatest } from "./reading.ts";

interface FinderProps<Item> {
  readonly label: string;
  readonly placeholder?: string;
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
function useFinder<Item>({ find, onChoose, other }: FinderProps<Item>) {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const [entered, setEntered] = useState(false);
  const query = text.trim();
  const { data, problem, asking } = useLatest(query === "" ? null : query, (signal) => find(query, signal), 120);
  const found = data ?? [];
  const count = found.length + (other && query !== "" ? 1 : 0);
  useEffect(() => setAt(0), [data]);
  const type = (typed: string) => {
    setText(typed);
    setEntered(false);
    setOpen(true);
  };
  const choose = (place: number) => {
    const chosen = found[place];
    if (chosen === undefined) {
      if (place !== found.length || other === undefined) return;
      other.run(query);
    } else onChoose(chosen);
    setText("");
    setOpen(false);
  };
  useEffect(() => {
    if (!entered || asking) return;
    setEntered(false);
    choose(0);
  }, [entered, asking]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && count > 0) {
      event.preventDefault();
      setOpen(true);
      setAt((at + step + count) % count);
    }
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && query !== "") {
      // Enter does not submit the form while a search runs.
      event.preventDefault();
      // A scanner sends Enter before the search ends, so the item is chosen when the results arrive.
      if (asking) setEntered(true);
      else if (open) choose(at);
    }
    if (event.key === "Escape" && open) {
      event.stopPropagation();
      event.preventDefault();
      setOpen(false);
    }
  };
  const shown = open && query !== "" && (found.length > 0 || !asking);
  return { text, type, asked: query, found, count, at, setAt, choose, setOpen, onKeyDown, shown, problem };
}

/** A field that searches while the user types. Arrow keys move, Enter chooses, Esc closes. */
export function Finder<Item>(props: FinderProps<Item>) {
  const { label, placeholder, id, item, other, focus = false, invalid = false } = props;
  const own = useRef<HTMLInputElement>(null);
  const field = props.field ?? own;
  const list = useId();
  const { text, type, asked, found, count, at, setAt, choose, setOpen, onKeyDown, shown, problem } = useFinder(props);
  useEffect(() => {
    if (focus) field.current?.focus();
  }, []);
  const one = { list, at, setAt, choose };
  return (
    <div class="finder">
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label={label}
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
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
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
            {other.title(asked)}
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
      onPointerMove={() => setAt(place)}
      // The field keeps the focus.
      onPointerDown={(event) => {
        event.preventDefault();
        choose(place);
      }}
    >
      {children}
    </div>
  );
}
