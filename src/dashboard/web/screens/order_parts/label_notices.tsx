// What has to be said before a label is bought: that prices are samples, and that the sender's address is invented.
import type { ApiProblem } from "../../api/problem.ts";
import { may, seesHouse } from "../../api/session.ts";
import type { Rate } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { isFlag, kept } from "../../browser/storage.ts";
import { world } from "../../browser/world.ts";
import { LinkButton } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { Notice } from "../../kit/notice.tsx";
import { labelTexts as texts } from "../../texts/order.ts";

/** Whether sample prices count: in test data all prices are invented. */
const isSample = ({ sample }: Pick<Rate, "sample">) => sample && world.value === "live";

/** Says that some of these prices are samples, and where they are replaced. */
export function SampleNotice({ of }: { readonly of: readonly Pick<Rate, "sample">[] }) {
  if (!of.some(isSample)) return null;
  const manages = seesHouse.value && may("shipping.manage");
  return (
    <Notice kind="warning">
      <p>{manages ? texts.samples : texts.samplesOfHouse}</p>
      {manages && (
        <p class="notice-acts">
          <LinkButton title={texts.toCards} href={to("/shipping/rate-cards")} />
          <LinkButton title={texts.toCarriers} href={to("/shipping/carriers")} />
        </p>
      )}
    </Notice>
  );
}

const agreed = kept("sample_rates", false, isFlag);

/** Asks before the first purchase at sample prices in this browser. Returns whether to buy. */
export async function agreeToSamples(chosen: readonly Pick<Rate, "sample">[]): Promise<boolean> {
  if (agreed.state.value || !chosen.some(isSample)) return true;
  const agrees = await confirm({ title: texts.samplesTitle, text: texts.samplesText, act: texts.samplesAct });
  if (agrees) agreed.set(true);
  return agrees;
}

/** An error of a purchase. Where the warehouse has no address yet, a button leads to where it is entered. */
export function PurchaseProblem({ problem }: { readonly problem: ApiProblem }) {
  if (!problem.fields.some(({ code }) => code === "example_address")) return <Notice problem={problem} />;
  return (
    <Notice kind="problem">
      <p>{seesHouse.value ? texts.exampleAddress : texts.exampleAddressOfHouse}</p>
      {seesHouse.value && (
        <p class="notice-acts">
          <LinkButton title={texts.toWarehouses} href={to("/settings/house")} />
        </p>
      )}
    </Notice>
  );
}
