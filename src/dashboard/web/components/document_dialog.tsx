import { useEffect, useRef, useState } from "preact/hooks";
import { getDocument, type Params, saveBlob } from "../api/client.ts";
import { type ApiProblem, problemOf } from "../api/problem.ts";
import { words as texts } from "../text/common.ts";
import { Button } from "./button.tsx";
import { Dialog, openDialog } from "./dialog.tsx";
import { Notice } from "./notice.tsx";

/** A document of the API. */
export interface PrintableDocument {
  readonly title: string;
  readonly path: string;
  readonly params?: Params;
  /** Its content type; a PDF by default. */
  readonly type?: string;
  /** The name of the saved file. */
  readonly name: string;
}

/** Opens a document in a dialog. */
export function openPrintable(paper: PrintableDocument): void {
  openDialog((close) => <DocumentDialog paper={paper} onClose={close} />);
}

interface DocumentDialogProps {
  readonly paper: PrintableDocument;
  readonly onClose: () => void;
}

/** Shows a document in a dialog, to print or save it. */
export function DocumentDialog({ paper, onClose }: DocumentDialogProps) {
  const [drawn, setDrawn] = useState<{ readonly blob: Blob; readonly url: string } | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const { type = "application/pdf" } = paper;
  // Browsers save other types instead of showing them.
  const is_shown = /^(?:application\/pdf|image\/.*)$/.test(type);
  useEffect(() => {
    const aborting = new AbortController();
    let url = "";
    getDocument(paper.path, type, { params: paper.params, signal: aborting.signal }).then(
      (blob) => {
        url = URL.createObjectURL(blob);
        setDrawn({ blob, url });
      },
      (error) => aborting.signal.aborted || setProblem(problemOf(error)),
    );
    return () => {
      aborting.abort();
      if (url !== "") URL.revokeObjectURL(url);
    };
  }, [paper]);
  const print = () => {
    frame.current?.contentWindow?.focus();
    frame.current?.contentWindow?.print();
  };
  return (
    <Dialog title={paper.title} wide onClose={onClose}>
      {problem && <Notice problem={problem} />}
      {drawn === null && problem === null && <p class="muted">{texts.documentLoading}</p>}
      {drawn && is_shown && <iframe ref={frame} class="paper" src={drawn.url} title={paper.title} />}
      {drawn && !is_shown && <p>{texts.forPrinters}</p>}
      {drawn && (
        <footer class="dialog-acts">
          {is_shown && (
            <a class="button" href={drawn.url} target="_blank" rel="noreferrer">
              {texts.openTab}
            </a>
          )}
          <Button
            kind={is_shown ? "normal" : "primary"}
            icon="download"
            title={texts.save}
            onClick={() => saveBlob(drawn.blob, paper.name)}
          />
          {is_shown && <Button kind="primary" icon="print" title={texts.print} onClick={print} />}
        </footer>
      )}
    </Dialog>
  );
}
