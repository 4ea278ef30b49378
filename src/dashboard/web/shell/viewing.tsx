// Looking on as the people of a merchant, and acting for one or another of the memberships of a user.
import { post, remove } from "../api/client.ts";
import { forgetAll, holdRefresh } from "../api/query.ts";
import { readSession, session } from "../api/session.ts";
import { base, navigate } from "../browser/router.ts";
import { world } from "../browser/world.ts";
import { Icon } from "../kit/icon.tsx";
import { MerchantDot } from "../kit/merchant_mark.tsx";
import { shell } from "../texts/shell.ts";
import { refused } from "./toasts.tsx";

/**
 * Changes as whom the session acts, and begins anew: nothing that was read before is shown any more, and the screen
 * that was open reads nothing that is not to be seen then.
 */
async function become(change: () => Promise<unknown>): Promise<void> {
  const resume = holdRefresh();
  try {
    await change();
    await readSession(() => {
      forgetAll();
      navigate(world.peek() === "test" ? `${base}?world=test` : base, { force: true });
    });
  } catch (error) {
    refused(error);
  } finally {
    resume();
  }
}

/** Looks on as the people of this merchant, until `leaveView`. */
export const viewAs = (merchant_id: string): Promise<void> => become(() => post("/users/me/view_as", { merchant_id }));

const leaveView = (): Promise<void> => become(() => remove("/users/me/view_as"));

/** Acts for another membership of this user: that of a merchant by its code, or null for the house. */
export const actFor = (merchant: string | null): Promise<void> =>
  become(() => post("/users/me/membership", { merchant }));

/** Says that who is of the house looks on as a merchant. */
export function ViewBanner() {
  const viewed = session.value?.view_as ?? null;
  if (viewed === null) return null;
  return (
    <div class="view-banner" role="region" aria-label={shell.viewingName}>
      <Icon name="eye" />
      <MerchantDot merchant={viewed} />
      <span>{shell.viewing(viewed.name)}</span>
      <button type="button" class="plain" onClick={() => void leaveView()}>
        {shell.leaveView}
      </button>
    </div>
  );
}
