import { useEffect, useState } from "preact/hooks";
import { post, saveBlob } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { session } from "../../api/session.ts";
import type { NewFactor, RecoveryCodes } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Form } from "../../components/form.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { CopyField, copyText } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { profileTexts as texts } from "../../text/profile.ts";

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

/** Recovery codes, shown once to print, copy or save. They disappear when the user confirms that they saved them. */
export function RecoveryCodesOnce({ codes, onDone }: RecoveryCodesProps) {
  const heading = texts.codesHeading(session.value?.user.email ?? "");
  const text = `${heading}\n\n${codes.join("\n")}\n`;
  const copy = async () => {
    await copyText(text);
    showSuccess(texts.codesCopied);
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
      <div class="row">
        <Button icon="copy" title={words.copy} onClick={copy} />
        <Button icon="print" title={words.print} onClick={() => window.print()} />
        <Button
          icon="download"
          title={texts.saveCodes}
          onClick={() => saveBlob(new Blob([text], { type: "text/plain" }), "packhouse-recovery-codes.txt")}
        />
      </div>
      <footer class="form-acts">
        <Button kind="primary" title={texts.codesSaved} onClick={onDone} />
      </footer>
    </div>
  );
}

/** Sets up a second factor: QR code, first code of the app, recovery codes. */
export function FactorSetup({ onDone }: { readonly onDone: () => void }) {
  const [fresh, setFresh] = useState<NewFactor | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const begin = () => {
    setProblem(null);
    post<NewFactor>("/users/me/second_factor").then(
      ({ data }) => setFresh(data),
      (error) => setProblem(problemOf(error)),
    );
  };
  useEffect(begin, []);
  if (codes !== null) return <RecoveryCodesOnce codes={codes} onDone={onDone} />;
  if (problem !== null) return <Notice problem={problem} onRetry={begin} />;
  if (fresh === null) return <Skeleton lines={4} />;
  return (
    <div class="factor">
      <p>{texts.scan}</p>
      <img class="qr" alt={texts.qrName} src={`data:image/svg+xml,${encodeURIComponent(fresh.qr_svg)}`} />
      <details>
        <summary>{texts.byHand}</summary>
        <CopyField text={fresh.secret} name={texts.keyName} />
      </details>
      <Form
        guarded={false}
        fields={[
          {
            name: "code",
            kind: "text",
            label: words.code,
            help: texts.codeHelp,
            required: true,
            mono: true,
            autocomplete: "one-time-code",
            focus: true,
          },
        ]}
        submit={texts.confirm}
        onSubmit={async (values, key) => {
          const code = String(values["code"]).replace(/\s/g, "");
          const { data } = await post<RecoveryCodes>("/users/me/second_factor/confirm", { code }, { key });
          setCodes(data.recovery_codes);
        }}
      />
    </div>
  );
}
