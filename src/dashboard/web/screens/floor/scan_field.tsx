import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { floorTexts } from "../../text/floor.ts";
import type { Camera as CameraView } from "./camera.tsx";
import { device, setDevice } from "./device.ts";

/** The separator of GS1 codes. */
const gs = "\u001d";
/** A shorter text without Enter or Tab may be one that a person types. */
const shortest_scan = 3;
/** The pause that ends a scan of a scanner that types Enter or Tab: a slow device may pause within a code. */
const keyed_pause_ms = 500;
/** The pause that ends a text whose first characters came slowly. */
const slow_pause_ms = 2000;
const focus_check_ms = 500;

interface ScanFieldProps {
  /** What to scan now. */
  readonly prompt: string;
  readonly onScan: (text: string) => void;
  /** Waits as long for the end of a code as slow scanners need: where the device's own pause cannot be set. */
  readonly patient?: boolean;
}

/**
 * The field that scanners type into. It has the focus unless another field is used on purpose. Scanners are read by
 * `input` events, because many send no usable key events. Enter, Tab, leaving the field, or a pause ends a scan.
 */
export function ScanField({ prompt, onScan, patient = false }: ScanFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [typing, setTyping] = useState(false);
  const { read, end, endByKey, begin } = useReader(input, { typing, patient }, (text) => {
    setTyping(false);
    onScan(text);
  });
  useFocus(input);
  useCarrying(input, begin);
  const toggle = () => {
    setTyping(!typing);
    if (input.current) input.current.value = "";
    input.current?.focus();
  };
  return (
    <form
      class="floor-scan"
      onSubmit={(event) => {
        event.preventDefault();
        endByKey();
      }}
    >
      <Icon name="scan" size={28} />
      <input
        ref={input}
        class="floor-scan-input"
        inputMode={typing ? "text" : "none"}
        aria-label={prompt}
        placeholder={typing ? floorTexts.typeCode : prompt}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        enterkeyhint="done"
        onInput={read}
        onBlur={() => {
          if (!typing) end();
        }}
        onKeyDown={(event) => {
          const { value } = event.currentTarget;
          if (event.key === "Tab" && value !== "") {
            event.preventDefault();
            endByKey();
          }
          // Many scanners type the separator as Ctrl+].
          if (event.ctrlKey && event.key === "]") {
            event.preventDefault();
            event.currentTarget.value = value + gs;
            read();
          }
        }}
      />
      <button
        type="button"
        class="floor-icon-button"
        aria-pressed={typing}
        aria-label={floorTexts.typeCode}
        onClick={toggle}
      >
        <Icon name="keyboard" size={28} />
      </button>
      {!typing && <CameraButton onScan={onScan} />}
      {typing && (
        <button type="submit" class="floor-icon-button" aria-label={floorTexts.enterCode}>
          <Icon name="check" size={28} />
        </button>
      )}
    </form>
  );
}

/** Opens the camera, where the browser allows it. Its file is loaded when it is first used. */
function CameraButton({ onScan }: Pick<ScanFieldProps, "onScan">) {
  const [Camera, setCamera] = useState<typeof CameraView | null>(null);
  const open = () => void import("./camera.tsx").then((file) => setCamera(() => file.Camera));
  if (navigator.mediaDevices === undefined) return null;
  return (
    <>
      <button type="button" class="floor-icon-button" aria-label={floorTexts.camera.title} onClick={open}>
        <Icon name="camera" size={28} />
      </button>
      {Camera !== null && (
        <Camera
          onClose={() => setCamera(null)}
          onRead={(code) => {
            setCamera(null);
            onScan(code);
          }}
        />
      )}
    </>
  );
}

/**
 * Reads the scans in a field. While someone types on purpose, only Enter ends the text. The pause after the first
 * characters shows that someone just types: then a longer pause ends the text.
 */
function useReader(
  input: RefObject<HTMLInputElement | null>,
  { typing, patient }: { readonly typing: boolean; readonly patient: boolean },
  onText: (text: string) => void,
) {
  const state = useRef({ timer: 0, slow: false });
  const take = (text: string) => {
    const { separator } = device.peek();
    const read = (separator === "" ? text : text.replaceAll(separator, gs)).trim();
    if (read !== "") onText(read);
  };
  const end = () => {
    clearTimeout(state.current.timer);
    state.current.slow = false;
    const text = input.current?.value ?? "";
    if (input.current) input.current.value = "";
    take(text);
  };
  const endAfter = (pause_ms: number) => {
    const pause = () => {
      if ((input.current?.value.length ?? 0) >= shortest_scan) return end();
      if (state.current.slow) return clear();
      state.current.slow = true;
      endAfter(slow_pause_ms);
    };
    clearTimeout(state.current.timer);
    state.current.timer = window.setTimeout(pause, pause_ms);
  };
  const clear = () => {
    if (input.current) input.current.value = "";
    state.current.slow = false;
  };
  const read = () => {
    const field = input.current;
    if (field === null) return;
    // A scanner may insert several codes at once, with what ends them.
    const parts = field.value.split(/[\r\n\t]/);
    const rest = parts.pop() ?? "";
    if (parts.length > 0) field.value = rest;
    parts.forEach(take);
    const { pause_ms, ends_by_key } = device.peek();
    const pause = ends_by_key || patient ? Math.max(pause_ms, keyed_pause_ms) : pause_ms;
    if (!typing) endAfter(state.current.slow ? slow_pause_ms : pause);
  };
  /** Begins with a text that was typed before the field was there. */
  const begin = (text: string) => {
    const parts = text.split("\n");
    const rest = parts.pop() ?? "";
    parts.forEach(take);
    if (rest === "" || input.current === null) return;
    input.current.value = rest;
    read();
  };
  const endByKey = () => {
    if (!typing && !device.peek().ends_by_key) setDevice({ ends_by_key: true });
    end();
  };
  return { read, end, endByKey, begin };
}

/** Goes on with a code that was being typed when the screen changed. */
function useCarrying(input: RefObject<HTMLInputElement | null>, begin: (text: string) => void): void {
  useLayoutEffect(() => {
    begin(endCarrying());
    return () => {
      beginCarrying(input.current?.value ?? "");
      if (input.current) input.current.value = "";
    };
  }, []);
}

/** The longest time from one screen's field to the next one's. */
const carrying_max_ms = 1000;
let carried = "";
let carrying = 0;

/** Keeps what is typed while one screen gives way to the next: a quick scanner is in the middle of a code. */
function beginCarrying(text: string): void {
  carried = text;
  document.addEventListener("keydown", carry, true);
  carrying = window.setTimeout(endCarrying, carrying_max_ms);
}

function carry({ key }: KeyboardEvent): void {
  // What goes into another field, such as a PIN, stays there.
  if (isField(document.activeElement)) return;
  if (key === "Enter" || key === "Tab") carried += "\n";
  else if (key.length === 1) carried += key;
}

function endCarrying(): string {
  clearTimeout(carrying);
  document.removeEventListener("keydown", carry, true);
  const text = carried;
  carried = "";
  return text;
}

const isField = (element: Element | null) => element?.matches("input, textarea, select, [contenteditable]") ?? false;

/**
 * Keeps the focus in the scan field, except while another field or a dialog is used. A key that goes to a button is
 * typed into the field instead, so that a scan never presses the button.
 */
function useFocus(input: RefObject<HTMLInputElement | null>): void {
  useLayoutEffect(() => {
    const focus = () => {
      if (isField(document.activeElement) || document.querySelector("dialog[open]") !== null) return;
      input.current?.focus({ preventScroll: true });
    };
    const later = () => void setTimeout(focus);
    const lost = ({ relatedTarget }: FocusEvent) => relatedTarget === null && later();
    const typed = ({ key }: KeyboardEvent) => {
      if ((key.length === 1 && key !== " ") || key === "Unidentified" || key === "Process") focus();
    };
    // An element that is removed loses the focus without an event.
    const looking = setInterval(() => document.activeElement === document.body && focus(), focus_check_ms);
    focus();
    document.addEventListener("click", later);
    document.addEventListener("focusout", lost);
    document.addEventListener("visibilitychange", later);
    document.addEventListener("keydown", typed, true);
    window.addEventListener("focus", later);
    return () => {
      clearInterval(looking);
      document.removeEventListener("click", later);
      document.removeEventListener("focusout", lost);
      document.removeEventListener("visibilitychange", later);
      document.removeEventListener("keydown", typed, true);
      window.removeEventListener("focus", later);
    };
  }, []);
}
