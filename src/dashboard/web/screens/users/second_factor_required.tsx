import { readSession, signOut } from "../../api/session.ts";
import { navigate, to } from "../../browser/router.ts";
import { showRefused } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { signInTexts as texts } from "../../text/sign_in.ts";
import { FactorSetup } from "./second_factor.tsx";
import { backTo, OpenCard } from "./sign_in_card.tsx";

/** Asks an owner to set up a second factor, which is required if other machines can reach the service. */
export function SecondFactorScreen() {
  const done = async () => {
    await readSession();
    navigate(backTo(), { replace: true, force: true });
  };
  const leave = () => signOut().then(() => navigate(to("/sign-in"), { replace: true, force: true }), showRefused);
  return (
    <OpenCard title={texts.factorFirstTitle} text={texts.factorFirstText}>
      <FactorSetup onDone={done} />
      <p class="open-acts">
        <button type="button" class="plain link" onClick={leave}>
          {words.signOut}
        </button>
      </p>
    </OpenCard>
  );
}
