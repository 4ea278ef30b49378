import { useEffect, useId, useRef, useState } from "preact/hooks";
import { words } from "../texts/common.ts";
import { Icon } from "./icon.tsx";

/** An item to choose. */
export interface Choice {
  readonly value: string;
  readonly title: string;
  readonly note?: string;
}

interface Props {
  /** The label of the field. */
  readonly label: string;
  /** The title of the chosen item; empty without one. */
  readonly shown: string;
  readonly find: (typed: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  /** Called with null when the chosen item is removed. */
  readonly onPick: (choice: Choice | null) => void;
  readonly id?: string;
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly invalid?: boolean;
  readonly described?: string;
  /** Clears the field after each choice, to choose several items. */
  readonly many?: boolean;
}

function useChoices(find: Props["find"], typed: string | null) {
  const [found, setFound] = useState<readonly Choice[] | null>(null);
  useEffect(() => {
    if (typed === null) return setFound(null);
    const aborting = new AbortController();
    const timer = setTimeout(
      () =>
        find(typed.trim(), aborting.signal).then(
          (all) => !aborting.signal.aborted && setFound(all),
          () => !aborting.signal.aborted && setFound([]),
        ),
      typed === "" ? 0 : 120,
    );
    return () => {
      clearTimeout(timer);
      aborting.abort();
    };
  }, [typed]);
  return found;
}

/** A search field that offers matches to choose from, by mouse or by arrow keys, Enter and Esc. */
export function Combobox(props: Props) {
  const { label, shown, find, onPick, invalid, many } = props;
  const own = useId();
  const id = props.id ?? own;
  const field = useRef<HTMLInputElement>(null);
  // The typed text; null while the list is closed.
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const found = useChoices(find, typed);
  const open = typed !== null && found !== null;
  useEffect(() => setAt(0), [found]);
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" }), [at, open]);
  const pick = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    setTyped(null);
    onPick(choice);
    if (many && field.current) field.current.value = "";
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const all = found ?? [];
    if (step !== undefined && typed === null) setTyped("");
    else if (step !== undefined) setAt((all.length + at + step) % Math.max(1, all.length));
    else if (event.key === "Enter" && open) pick(all[at]);
    else if (event.key === "Escape" && typed !== null) setTyped(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="combobox">
      <input
        ref={field}
        id={id}
        type="text"
        role="combobox"
        aria-label={props.id === undefined ? label : undefined}
        aria-expanded={open}
        aria-controls={open ? `${id}-list` : undefined}
        aria-autocomplete="list"
        aria-activedescendant={open && found.length > 0 ? `${id}-${at}` : undefined}
        aria-invalid={invalid || undefined}
        aria-describedby={props.described}
        autocomplete="off"
        spellcheck={false}
        placeholder={props.placeholder}
        disabled={props.disabled}
        value={typed ?? shown}
        onInput={({ currentTarget: { value } }) => {
          setTyped(value);
          if (value === "" && shown !== "") onPick(null);
        }}
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => typed === null && setTyped("")}
        onBlur={() => setTyped(null)}
        onKeyDown={onKeyDown}
      />
      <Icon name="down" />
      {open && <Found id={id} label={label} found={found} at={at} onAt={setAt} onPick={pick} />}
    </div>
  );
}

interface FoundProps {
  readonly id: string;
  readonly label: string;
  readonly found: readonly Choice[];
  readonly at: number;
  readonly onAt: (index: number) => void;
  readonly onPick: (choice: Choice) => void;
}

function Found({ id, label, found, at, onAt, onPick }: FoundProps) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label={label} class="combobox-list">
      {found.map((choice, index) => (
        <div
          key={choice.value}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onMouseMove={() => onAt(index)}
          // Runs before the field loses the focus, which closes the list.
          onMouseDown={(event) => {
            event.preventDefault();
            onPick(choice);
          }}
        >
          <span>{choice.title}</span>
          {choice.note && <small>{choice.note}</small>}
        </div>
      ))}
      {found.length === 0 && (
        <div role="option" aria-disabled="true" aria-selected="false" class="combobox-nothing">
          {words.nothingFound}
        </div>
      )}
    </div>
  );
}
