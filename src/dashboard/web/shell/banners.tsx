// Banners on every screen: restored data with pending decisions, and the merchant view.
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

/** The banner for a restored environment, with the choice to send or discard everything on hold. */
export function RestoredBanner() {
  const asks = may("metrics.read") && isOperatorUser.value;
  const { data } = useQuery<readonly Restoration[]>(asks ? "/restorations" : null);
  const waiting = data?.find(({ status }) => status === "waiting");
  if (waiting === undefined) return null;
  return (
    <div class="restored-banner" role="region" aria-label={words.name}>
      <Icon name="shield" />
      <span>{words.text(dateTime(waiting.as_of), waiting.waiting)}</span>
      {may("operator.manage") && (
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

/**
 * Changes the merchant or membership of the session and restarts from the start page. Pauses reads meanwhile, so that
 * the open screen requests nothing that the new view may not see.
 */
async function become(change: () => Promise<unknown>): Promise<void> {
  const resume = holdRefresh();
  try {
    await change();
    await readSession(() => {
      forgetAll();
      navigate(tabEnvironment.peek() === "test" ? `${base}?mode=test` : base, { force: true });
    });
  } catch (error) {
    showRefused(error);
  } finally {
    resume();
  }
}

/** Views the dashboard as this merchant, until `leaveView`. */
export const viewAs = (merchant_id: string): Promise<void> => become(() => post("/users/me/view_as", { merchant_id }));

const leaveView = (): Promise<void> => become(() => remove("/users/me/view_as"));

/** Switches to another membership of the user: a merchant's code, or null for the operator. */
export const actFor = (merchant: string | null): Promise<void> =>
  become(() => post("/users/me/membership", { merchant }));

/** The banner for an operator user who views as a merchant. */
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
