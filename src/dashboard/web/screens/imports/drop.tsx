import { useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { importTexts as texts } from "../../texts/imports.ts";

/** A place to drop a file, or to choose one. */
export function Drop({ onFile }: { readonly onFile: (file: File) => void }) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file) onFile(file);
  };
  return (
    <section
      class={over ? "drop over" : "drop"}
      aria-label={texts.drop}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <Icon name="upload" size={28} />
      <strong>{texts.drop}</strong>
      <p class="muted">{texts.dropHint}</p>
      <input
        ref={input}
        class="unseen"
        type="file"
        accept=".csv,text/csv,text/plain"
        aria-label={texts.choose}
        tabIndex={-1}
        onChange={(event) => take(event.currentTarget.files)}
      />
      <Button kind="primary" title={texts.choose} onClick={() => input.current?.click()} />
    </section>
  );
}
