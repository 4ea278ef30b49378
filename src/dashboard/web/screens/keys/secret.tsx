import type { MadeKey } from "../../api/developer_types.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { SecretOnce } from "../../kit/values.tsx";
import { keyTexts as texts } from "../../texts/keys.ts";

/** Shows a new key, which cannot be shown again. */
export function NewSecret({ made, onDone }: { readonly made: MadeKey; readonly onDone: () => void }) {
  return (
    <Dialog title={texts.secretTitle} onClose={onDone} mayClose={() => false}>
      <SecretOnce secret={made.key} name={made.name} text={texts.secretText} done={texts.secretDone} onDone={onDone} />
    </Dialog>
  );
}
