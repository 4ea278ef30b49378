import { useEffect, useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import type { NewFactor, RecoveryCodes } from "../../api/types.ts";
import { Form } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { CopyField } from "../../kit/values.tsx";
import { profileTexts as texts } from "../../texts/profile.ts";
import { RecoveryCodesOnce } from "./recovery_codes.tsx";

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
            label: texts.code,
            help: texts.codeHelp,
            required: true,
            mono: true,
            autocomplete: "one-time-code",
            focus: true,
          },
        ]}
        first={{ code: "" }}
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
