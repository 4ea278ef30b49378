import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Icon } from "../../kit/icon.tsx";
import { words } from "../../texts/common.ts";

interface Props {
  readonly title: string;
  readonly text?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A screen without a session: one card in the middle. */
export function OpenCard({ title, text, children }: Props) {
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
  }, [title]);
  return (
    <div class="card sign-in">
      <p class="open-mark">
        <Icon name="box" size={20} />
        {words.product}
      </p>
      <h1>{title}</h1>
      {text && <p class="open-text">{text}</p>}
      {children}
    </div>
  );
}
