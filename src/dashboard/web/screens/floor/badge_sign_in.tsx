import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { callDashboard } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { enterBy, session } from "../../api/session.ts";
import type { OwnDevice } from "../../api/types.ts";
import { navigate, query, to } from "../../browser/router.ts";
import { Icon } from "../../components/icon.tsx";
import { badgeTexts } from "../../text/badges.ts";
import { words } from "../../text/common.ts";
import { backTo } from "../users/sign_in_card.tsx";
import { setDevice } from "./device.ts";
import { ScanField } from "./scan_field.tsx";

const texts = badgeTexts.signIn;
const pin_max = 8;
const pin_min = 4;

/** What is entered now: the PIN, or the user's own PIN in place of a temporary one, twice. */
type Step = "pin" | "choose" | "again";

/** Signs in on a floor device: a badge, then the PIN. In other browsers, users sign in with their password. */
export function BadgeSignInScreen() {
  const [device, setThis] = useState<OwnDevice | null>(null);
  const [badge, setBadge] = useState<string | null>(null);
  useEffect(() => {
    document.title = `${texts.title} · ${words.product}`;
    callDashboard<{ readonly device: OwnDevice | null }>("GET", "/device").then(({ data }) => {
      if (data.device === null) navigate(withPassword(), { replace: true, force: true });
      else setThis(data.device);
    }, reloadLater);
  }, []);
  if (device === null) return null;
  return (
    <div class="floor badge-sign-in">
      <header class="floor-head">
        <h1>{texts.title}</h1>
        <span class="floor-who">{device.name}</span>
      </header>
      {badge === null ? (
        <>
          <div class="floor-body badge-scan">
            <Icon name="scan" size={96} />
            <strong>{texts.scan}</strong>
            <a href={withPassword()}>{texts.withPassword}</a>
          </div>
          <ScanField prompt={texts.scan} onScan={setBadge} patient />
        </>
      ) : (
        <PinEntry badge={badge} onBadge={setBadge} />
      )}
    </div>
  );
}

const withPassword = () => to("/sign-in", { back: query.value.get("back") });
const retry_ms = 3000;
const reloadLater = () => void setTimeout(() => location.reload(), retry_ms);

interface PinEntryProps {
  readonly badge: string;
  /** Called with another badge that was scanned; null to go back to scanning. */
  readonly onBadge: (badge: string | null) => void;
}

/** What is entered, step by step, and what came of it. */
function usePinSteps({ badge, onBadge }: PinEntryProps) {
  const [step, setStep] = useState<Step>("pin");
  const [entered, setEntered] = useState("");
  const [kept, setKept] = useState({ pin: "", choose: "" });
  const [problem, setProblem] = useState<Pick<ApiProblem, "message"> | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async (body: Readonly<Record<string, string>>) => {
    setBusy(true);
    try {
      await enterBy("/badge_session", { badge, ...body });
      const { device = null } = session.peek() ?? {};
      if (device) setDevice({ name: device.name, warehouse_id: device.warehouse_id });
      navigate(query.value.get("back") === null ? to("/floor") : backTo(), { replace: true, force: true });
    } catch (error) {
      const refused = problemOf(error);
      setBusy(false);
      if (refused.code === "new_pin_required") {
        setStep("choose");
        return;
      }
      setProblem(refused);
      // The PIN that was chosen is refused: another one is chosen.
      setStep(refused.code === "validation_failed" ? "choose" : "pin");
    }
  };
  const submit = (entered: string) => {
    if (busy) return;
    setEntered("");
    setProblem(null);
    // The scanner types a badge into the same field.
    if (entered.length > pin_max) {
      setStep("pin");
      onBadge(entered);
      return;
    }
    if (entered.length < pin_min) return;
    if (step === "pin") {
      setKept({ pin: entered, choose: "" });
      void send({ pin: entered });
    } else if (step === "choose") {
      setKept({ ...kept, choose: entered });
      setStep("again");
    } else if (entered === kept.choose) void send({ pin: kept.pin, new_pin: entered });
    else {
      setProblem({ message: texts.notSame });
      setStep("choose");
    }
  };
  return { step, entered, problem, busy, setEntered, submit };
}

function PinEntry(props: PinEntryProps) {
  const { step, entered, problem, busy, setEntered, submit } = usePinSteps(props);
  return (
    <>
      <div class="floor-result" data-kind={problem === null ? "none" : "wrong"} role="alert">
        {problem && (
          <>
            <Icon name="warning" size={36} />
            <strong>{problem.message}</strong>
          </>
        )}
      </div>
      <PinPad
        label={texts[step]}
        text={step === "choose" ? texts.chooseText : ""}
        entered={entered}
        busy={busy}
        enter={setEntered}
        submit={submit}
      />
      <button type="button" class="floor-button normal badge-other" onClick={() => props.onBadge(null)}>
        {texts.otherBadge}
      </button>
    </>
  );
}

interface PinPadProps {
  readonly label: string;
  readonly text: string;
  readonly entered: string;
  readonly busy: boolean;
  readonly enter: (change: (before: string) => string) => void;
  /** Called with what the field holds by then: keys may be faster than this is shown. */
  readonly submit: (pin: string) => void;
}

/** Large keys for a PIN, which is not shown. The keys of a scanner or a keyboard work too. */
function PinPad({ label, text, entered, busy, enter, submit }: PinPadProps) {
  const field = useRef<HTMLInputElement>(null);
  const focus = () => field.current?.focus({ preventScroll: true });
  useLayoutEffect(focus, [label]);
  const press = (digit: string) => {
    enter((before) => (before.length < pin_max ? before + digit : before));
    focus();
  };
  return (
    <form
      class="floor-body badge-pad"
      onSubmit={(event) => {
        event.preventDefault();
        submit(field.current?.value ?? "");
      }}
    >
      <strong>{label}</strong>
      {text && <p>{text}</p>}
      <input
        ref={field}
        type="password"
        inputMode="none"
        autocomplete="off"
        aria-label={label}
        value={entered}
        onInput={({ currentTarget }) => enter(() => currentTarget.value)}
      />
      <div class="badge-keys">
        {["1", "2", "3", "4", "5", "6", "7", "8", "9"].map((digit) => (
          <button key={digit} type="button" onClick={() => press(digit)}>
            {digit}
          </button>
        ))}
        <button type="button" aria-label={texts.deleteDigit} onClick={() => enter((before) => before.slice(0, -1))}>
          <Icon name="left" size={32} />
        </button>
        <button type="button" onClick={() => press("0")}>
          0
        </button>
        <button type="submit" class="primary" disabled={busy}>
          {texts.submit}
        </button>
      </div>
    </form>
  );
}
