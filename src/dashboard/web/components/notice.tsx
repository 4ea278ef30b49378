import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiProblem } from "../api/problem.ts";
import { words } from "../text/common.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** The content of an empty list. */
export interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: string;
  /** The first thing to do. */
  readonly act?: ComponentChildren;
}

/** Shown in place of an empty list: why it is empty and what to do first. */
export function EmptyState({ icon, title, text, act }: EmptyStateProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      {act}
    </div>
  );
}

interface NoticeProps {
  /** An API error, shown with its message. */
  readonly problem?: ApiProblem;
  readonly kind?: "problem" | "warning" | "info" | "done";
  readonly children?: ComponentChildren;
  readonly onRetry?: () => void;
}

/** A highlighted message above the content. */
export function Notice({ problem, kind = problem ? "problem" : "info", children, onRetry }: NoticeProps) {
  const icon = { problem: "alert", warning: "warning", info: "info", done: "done" } as const;
  return (
    <div class={`notice ${kind}`} role={kind === "problem" ? "alert" : "status"}>
      <Icon name={icon[kind]} size={18} />
      <div class="notice-text">
        {problem && <p>{problem.message}</p>}
        {problem && problem.fields.length > 0 && (
          <ul>
            {problem.fields.map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                <code>{field}</code> {message}
              </li>
            ))}
          </ul>
        )}
        {children}
        {problem?.request_id && <small>{words.requestId(problem.request_id)}</small>}
      </div>
      {onRetry && <Button title={words.tryAgain} onClick={onRetry} />}
    </div>
  );
}

/** True after 200 ms, so that fast responses do not make the screen flicker. */
function useLate(): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return late;
}

/** Grey lines in place of loading content. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  const late = useLate();
  return (
    <div class={late ? "skeleton late" : "skeleton"} role="status" aria-busy="true">
      <span class="unseen">{late ? words.loading : ""}</span>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class="skeleton-line" style={{ width: `${[92, 78, 85, 64, 88, 71][at % 6]}%` }} />
      ))}
    </div>
  );
}
