import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type ApiProblem, problemOf } from "../api/problem.ts";
import { words } from "../texts/common.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Notice } from "./notice.tsx";

/** A question before an act. */
interface Question {
  readonly title: string;
  /** What will happen. */
  readonly text: ComponentChildren;
  /** The text of the confirming button, such as "Cancel the order"; never "OK". */
  readonly act: string;
  readonly stay?: string;
  readonly danger?: boolean;
  /** Does the act while the dialog is open, which shows why it was refused. */
  readonly run?: () => Promise<unknown>;
}

interface Asked extends Question {
  readonly answer: (done: boolean) => void;
}

const asked = signal<Asked | null>(null);

/** Asks before an act and does it if confirmed. Answers whether it was done. */
export function confirm(question: Question): Promise<boolean> {
  asked.peek()?.answer(false);
  return new Promise((resolve) => {
    asked.value = { ...question, answer: resolve };
  });
}

/** Shows the question of `confirm`. */
export function ConfirmHost() {
  const now = asked.value;
  return now === null ? null : <Open key={now.title} {...now} />;
}

function Open({ title, text, act, stay = words.cancel, danger = false, run, answer }: Asked) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const end = (done: boolean) => {
    asked.value = null;
    answer(done);
  };
  const go = async () => {
    setBusy(true);
    try {
      await run?.();
      end(true);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={() => asked.peek() !== null && end(false)} mayClose={() => !busy}>
      <div class="prose">{typeof text === "string" ? <p>{text}</p> : text}</div>
      {problem && <Notice problem={problem} />}
      <footer class="dialog-acts">
        <Button title={stay} onClick={() => end(false)} disabled={busy} />
        <Button title={act} kind={danger ? "danger" : "primary"} busy={busy} onClick={go} />
      </footer>
    </Dialog>
  );
}
