import { useRef, useState } from "preact/hooks";
import { words } from "../text/common.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface FileDropProps {
  /** The text of the drop area. */
  readonly title: string;
  readonly text?: string;
  /** The `accept` attribute of the input, such as `.csv,text/csv`. */
  readonly accept: string;
  readonly onFile: (file: File) => void;
}

/** An area to drop a file on or to choose one. */
export function FileDrop({ title, text, accept, onFile }: FileDropProps) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file !== undefined) onFile(file);
    // Cleared so that the same file can be chosen again after a correction.
    if (input.current) input.current.value = "";
  };
  return (
    <section
      class={over ? "file-drop over" : "file-drop"}
      aria-label={title}
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
      <Icon name="upload" size={24} />
      <strong>{title}</strong>
      {text && <p>{text}</p>}
      <input
        ref={input}
        class="unseen"
        type="file"
        accept={accept}
        aria-label={title}
        tabIndex={-1}
        onChange={(event) => take(event.currentTarget.files)}
      />
      <Button kind="primary" title={words.chooseFile} onClick={() => input.current?.click()} />
    </section>
  );
}

/** Asks the user for a CSV file and calls `take` with it. */
export function chooseFile(take: (file: File) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".csv,text/csv";
  input.onchange = () => {
    const file = input.files?.[0];
    if (file !== undefined) take(file);
  };
  input.click();
}
