// Says on every screen that the data came from a backup, while something that waited then waits for a decision.
import { post, remove } from "../api/client.ts";
import type { Restoration } from "../api/developer_types.ts";
import { forgetAll, holdRefresh, useQuery } from "../api/query.ts";
import { isOperatorUser, may, readSession, session } from "../api/session.ts";
import { base, navigate, tabEnvironment } from "../browser/router.ts";
import { MerchantDot } from "../components/badge.tsx";
import { confirm } from "../components/dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { showRefused } from "../components/toasts.tsx";
import { dateTime } from "../text/format.ts";
import { shellTexts } from "../text/shell.ts";

const { restored: words } = shellTexts;

/** The banner of a world that was restored, with what can be decided about what waits. */
export function RestoredBanner() {
  const asks = may("metrics.read") && isOperatorUser.value;
  const { data } = useQuery<readonly Restoration[]>(asks ? "/restorations" : null);
  const waiting = data?.find(({ status }) => status === "waiting");
  if (waiting === undefined) return null;
  return (
    <div class="restored-banner" role="region" aria-label={words.name}>
      <Icon name="shield" />
      <span>{words.text(dateTime(waiting.as_of), waiting.waiting)}</span>
      {may("house.manage") && (
        <>
          <button type="button" class="plain" onClick={() => void ask("send")}>
            {words.send.act}
          </button>
          <button type="button" class="plain" onClick={() => void ask("drop")}>
            {words.drop.act}
          </button>
        </>
      )}
    </div>
  );
}

function ask(action: "send" | "drop"): Promise<boolean> {
  const { title, text, act } = words[action];
  const run = () => post("/restorations/decide", { action });
  return confirm({ title, text, act, danger: action === "drop", run });
}

// Looking on as the people of a merchant, and acting for one or another of the memberships of a user.

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
      navigate(tabEnvironment.peek() === "test" ? `${base}?world=test` : base, { force: true });
    });
  } catch (error) {
    showRefused(error);
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
    <div class="view-banner" role="region" aria-label={shellTexts.viewingName}>
      <Icon name="eye" />
      <MerchantDot merchant={viewed} />
      <span>{shellTexts.viewing(viewed.name)}</span>
      <button type="button" class="plain" onClick={() => void leaveView()}>
        {shellTexts.leaveView}
      </button>
    </div>
  );
}
