import { effect, signal, useSignal } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { last_response, offline } from "../../api/client.ts";
import { connected } from "../../api/live.ts";
import { place, to } from "../../browser/router.ts";
import { Icon, type IconName } from "../../components/icon.tsx";
import { minutesAhead } from "../../components/now.ts";
import { words } from "../../text/common.ts";
import { floorTexts as texts } from "../../text/floor.ts";
import { type ActQueue, actQueue, type Outcome } from "./act_queue.ts";
import type { AttachableProduct } from "./attach_barcode.tsx";
import { device } from "./device.ts";
import type { OutcomeKind } from "./feedback.ts";
import { ScanField } from "./scan_field.tsx";
import { WaysOn } from "./ways_on.tsx";

interface FloorFrameProps {
  readonly title: string;
  /** The path of the screen to go back to.  */
  readonly back?: string;
  readonly queue: ActQueue;
  /** What to scan now, and what is done with it; undefined on a screen without scans. */
  readonly prompt?: string;
  readonly onScan?: (read: string) => Promise<Outcome | null>;
  /** The products that an unknown barcode may belong to; empty if any, undefined where no product is scanned. */
  readonly products?: readonly AttachableProduct[];
  /** The progress of the task, below the title. */
  readonly progress?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** The big button at the bottom. */
  readonly act?: ComponentChildren;
}

/** The queue of a screen's scans and taps, as long as the screen is shown. */
export function useQueue(): ActQueue {
  return useMemo(actQueue, []);
}

/** The frame of each screen of the floor: title, what came of the last scan, the content and the scan field. */
export function FloorFrame(props: FloorFrameProps) {
  const { title, back, queue, prompt, onScan, products, progress, children, act } = props;
  // A scan is handled with what the screen shows by then.
  const latest = useSignal(onScan);
  latest.value = onScan;
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
  }, [title]);
  useClockAlarm(queue);
  const scan = (read: string) => queue.add(async () => (await latest.peek()?.(read)) ?? null, shown(read));
  return (
    <div class="floor" data-hand={device.value.hand}>
      <header class="floor-head">
        {back === undefined ? (
          <a class="floor-icon-button" href={to("/")} aria-label={texts.toOffice}>
            <Icon name="home" size={28} />
          </a>
        ) : (
          <a class="floor-icon-button" href={to(back)} aria-label={words.back}>
            <Icon name="left" size={28} />
          </a>
        )}
        <h1>{title}</h1>
        <Connection waiting={queue.waiting.value} />
      </header>
      {progress}
      <Result of={queue.outcome.value} />
      <div class="floor-body" tabIndex={0}>
        <WaysOn queue={queue} scan={onScan && scan} products={products} />
        {children}
      </div>
      {act && <div class="floor-act">{act}</div>}
      {onScan && <ScanField prompt={prompt ?? texts.scan} onScan={scan} />}
      {back === undefined && <Tabs />}
    </div>
  );
}

/** A difference that a slow response or a lax clock explains. */
const tolerance_minutes = 3;

/** How far the clock is ahead of the server's; 0 while it is right. */
const ahead_minutes = signal(0);
let was_right = true;

effect(() => {
  const ahead = minutesAhead(last_response.value.sent_at);
  const is_right = !(Math.abs(ahead) >= tolerance_minutes);
  // The device may have slept before it read one response, but not before each.
  ahead_minutes.value = is_right || was_right ? 0 : ahead;
  was_right = is_right;
});

let announced = false;

/** Says once that the clock of the device is wrong. */
function useClockAlarm(queue: ActQueue): void {
  const minutes = ahead_minutes.value;
  useEffect(() => {
    if (minutes !== 0 && !announced) {
      const text = texts.clockText(minutes);
      queue.add(async () => ({ kind: "wrong", title: texts.wrongClock, text, code: "wrong_clock" }));
    }
    announced = minutes !== 0;
  }, [minutes === 0]);
}

/** A code as people see it: control characters have symbols of their own. */
const shown = (code: string) =>
  code.replaceAll(/\p{Cc}/gu, (char) => String.fromCodePoint(0x2400 + Math.min(char.charCodeAt(0), 0x21)));

function Connection({ waiting }: { readonly waiting: number }) {
  const is_connected = connected.value && !offline.value;
  return (
    <span class="floor-connection" role="status">
      {waiting > 0 && <strong>{texts.sending(waiting)}</strong>}
      <span class={is_connected ? "dot on" : "dot"} aria-hidden="true" />
      <span class="unseen">{is_connected ? texts.connected : texts.notConnected}</span>
    </span>
  );
}

const icons: Readonly<Record<OutcomeKind, IconName>> = { right: "check", done: "done", wrong: "warning", info: "info" };

/** Whether what a right scan shows already contains the code that was read. */
const says = ({ kind, title, text = "" }: Outcome, read: string) =>
  kind !== "wrong" && `${title} ${text}`.toLowerCase().includes(read.toLowerCase());

function Result({ of }: { readonly of: ActQueue["outcome"]["value"] }) {
  return (
    <div class="floor-result" data-kind={of?.kind ?? "none"} data-number={of?.number ?? 0} aria-live="assertive">
      {of !== null && (
        <Fragment key={of.number}>
          <Icon name={icons[of.kind]} size={36} />
          <div>
            <strong>{of.title}</strong>
            {of.text && <p>{of.text}</p>}
            {of.read && !says(of, of.read) && <p class="floor-read">{texts.read(of.read)}</p>}
          </div>
        </Fragment>
      )}
    </div>
  );
}

const tabs = [
  { path: "/floor", title: texts.work, icon: "clipboard" },
  { path: "/floor/menu", title: texts.menu, icon: "menu" },
] as const;

function Tabs() {
  return (
    <nav class="floor-tabs" aria-label={texts.title}>
      {tabs.map(({ path, title, icon }) => (
        <a key={path} href={to(path)} aria-current={place.value.path === path ? "page" : undefined}>
          <Icon name={icon} size={28} />
          {title}
        </a>
      ))}
    </nav>
  );
}
