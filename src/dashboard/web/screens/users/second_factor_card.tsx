import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { readSession } from "../../api/session.ts";
import type { RecoveryCodes, SecondFactorState } from "../../api/types.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog, openDialog } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { profileTexts as texts } from "../../text/profile.ts";
import { FactorSetup, RecoveryCodesOnce } from "./second_factor.tsx";

/** The state of the second factor and its actions. */
export function FactorCard() {
  const { data: factor, problem, loading, reload } = useQuery<SecondFactorState>("/users/me/second_factor");
  const isOn = factor?.status === "on";
  const setUp = (close: () => void) => (
    <Dialog title={texts.scanTitle} onClose={close}>
      <FactorSetup
        onDone={async () => {
          close();
          showSuccess(texts.turnedOn);
          await Promise.all([readSession(), reload()]);
        }}
      />
    </Dialog>
  );
  return (
    <Card title={texts.factor}>
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton lines={2} />}
      {factor && (
        <>
          <p class="factor-why">{factor.required ? `${texts.factorWhy} ${texts.factorRequired}` : texts.factorWhy}</p>
          <DescriptionList
            facts={[
              [texts.factor, <Badge tone={isOn ? "good" : "warning"}>{isOn ? words.on : texts.factorOff}</Badge>],
              isOn ? [texts.factorSince, <Time at={factor.confirmed_at} />] : null,
              isOn ? [texts.codesLeft, count(factor.recovery_codes_left)] : null,
            ]}
          />
          <footer class="form-acts">
            {isOn && !factor.required && <ActionButton of={turnOff} />}
            {isOn && <Button title={texts.renew} onClick={() => openDialog((close) => <Renew onClose={close} />)} />}
            {!isOn && <Button kind="primary" icon="shield" title={texts.setUp} onClick={() => openDialog(setUp)} />}
          </footer>
        </>
      )}
    </Card>
  );
}

const passwordField: FormField = {
  name: "password",
  kind: "text",
  type: "password",
  label: texts.yourPassword,
  required: true,
  focus: true,
  autocomplete: "current-password",
};

const turnOff: Action = {
  title: texts.turnOff,
  ask: { title: texts.turnOff, text: texts.turnOffText, fields: [passwordField], danger: true },
  call: ({ password }) => ({ method: "POST", path: "/users/me/second_factor/turn_off", body: { password } }),
  done: texts.turnedOff,
  after: () => void readSession(),
};

function Renew({ onClose }: { readonly onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <Dialog title={texts.renew} onClose={onClose}>
      {codes !== null ? (
        <RecoveryCodesOnce codes={codes} onDone={onClose} />
      ) : (
        <>
          <p class="dialog-text">{texts.renewText}</p>
          <Form
            guarded={false}
            fields={[passwordField]}
            submit={texts.renew}
            onCancel={onClose}
            onSubmit={async ({ password }, key) => {
              const path = "/users/me/second_factor/recovery_codes";
              const { data } = await post<RecoveryCodes>(path, { password }, { key });
              setCodes(data.recovery_codes);
            }}
          />
        </>
      )}
    </Dialog>
  );
}
