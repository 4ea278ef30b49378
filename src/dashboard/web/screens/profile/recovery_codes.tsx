import { saveBlob } from "../../api/documents.ts";
import { session } from "../../api/session.ts";
import { Button } from "../../kit/button.tsx";
import { copyText } from "../../kit/values.tsx";
import { said } from "../../shell/toasts.tsx";
import { profileTexts as texts } from "../../texts/profile.ts";

interface Props {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

/** Recovery codes, shown once to print, copy or save. They disappear when the user confirms to have saved them. */
export function RecoveryCodesOnce({ codes, onDone }: Props) {
  const heading = texts.codesHeading(session.value?.user.email ?? "");
  const text = `${heading}\n\n${codes.join("\n")}\n`;
  const copy = async () => {
    await copyText(text);
    said(texts.codesCopied);
  };
  return (
    <div class="recovery">
      <h3>{texts.codesTitle}</h3>
      <p class="recovery-why">{texts.codesText}</p>
      <p class="recovery-whose">{heading}</p>
      <ol class="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div class="recovery-acts">
        <Button icon="copy" title={texts.copyCodes} onClick={copy} />
        <Button icon="print" title={texts.printCodes} onClick={() => window.print()} />
        <Button
          icon="download"
          title={texts.saveCodes}
          onClick={() => saveBlob(new Blob([text], { type: "text/plain" }), "packhouse-recovery-codes.txt")}
        />
      </div>
      <footer class="form-acts">
        <Button kind="primary" title={texts.codesKept} onClick={onDone} />
      </footer>
    </div>
  );
}
