// Looking on as the people of a merchant, and acting for one or another of the memberships of a user.
import { post, remove } from "../api/client.ts";
import { forgetAll } from "../api/query.ts";
import { readSession, session } from "../api/session.ts";
import { base, navigate } from "../browser/router.ts";
import { world } from "../browser/world.ts";
import { Icon } from "../kit/icon.tsx";
import { MerchantDot } from "../kit/merchant_mark.tsx";
import { shell } from "../texts/shell.ts";
import { refused } from "./toasts.tsx";

/** Begins anew as whom the session is now: nothing that was read before is shown any more. */
async function beginAnew(): Promise<void> {
  forgetAll();
  await readSession();
  navigate(world.peek() === "test" ? `${base}?world=test` : base, { force: true });
}

/** Looks on as the people of this merchant, until `leaveView`. */
export async function viewAs(merchant_id: string): Promise<void> {
  await post("/users/me/view_as", { merchant_id });
  await beginAnew();
}

async function leaveView(): Promise<void> {
  try {
    await remove("/users/me/view_as");
    await beginAnew();
  } catch (error) {
    refused(error);
  }
}

/** Acts for another membership of this user: that of a merchant by its code, or null for the house. */
export async function actFor(merchant: string | null): Promise<void> {
  try {
    await post("/users/me/membership", { merchant });
    await beginAnew();
  } catch (error) {
    refused(error);
  }
}

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
