import type { ComponentChildren } from "preact";
import type { ApiProblem } from "../api/problem.ts";
import { words } from "../texts/common.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface Props {
  /** An API error, shown with its message. */
  readonly problem?: ApiProblem;
  readonly kind?: "problem" | "warning" | "info" | "done";
  readonly children?: ComponentChildren;
  readonly onRetry?: () => void;
}

/** A highlighted message above the content it is about. */
export function Notice({ problem, kind = problem ? "problem" : "info", children, onRetry }: Props) {
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
