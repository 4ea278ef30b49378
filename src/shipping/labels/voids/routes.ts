import type { Tx } from "../../../database/store.ts";
import { answerWrite } from "../../../http/answer.ts";
import type { Call } from "../../../http/call.ts";
import { enveloped } from "../../../http/envelope.ts";
import type { Service } from "../../../http/service.ts";
import { answerSlowWork } from "../../../http/slow_work.ts";
import { goesOn } from "../../../outbound/under_way.ts";
import { labelNews, refuseUnderWayBack } from "../../../returns/labels/commands.ts";
import type { Label } from "../label.ts";
import { refusalFor } from "../merchant_view.ts";
import { told, type View } from "../purchases/routes.ts";
import { isUsable, isVoided } from "../status.ts";
import { getLabel } from "../store.ts";
import { voidAtCarrier } from "./buyer.ts";
import { beginVoid, voidLabel } from "./commands.ts";

/** Voids a label; a carrier's label is voided by the carrier first. */
export async function answerVoid(call: Call, service: Service, id: string, view: View): Promise<Response> {
  const { secret_key, carrier_patience_ms: patience_ms } = service;
  const { account_id, status } = await call.store.read((db) => getLabel(db, id));
  if (account_id === null || isVoided(status)) {
    return answerWrite(call, 200, async (tx) => view(await voidOwn(tx, id, call), tx), enveloped, secret_key);
  }
  const at = { store: call.store, service, news: labelNews };
  const refused = refusalFor(call, "voided");
  return answerSlowWork(
    call,
    {
      patience_ms,
      begin: async (tx) => {
        await refuseComing(tx, await getLabel(tx, id));
        const label = await beginVoid(tx, id, call.actor);
        return { begun: label, data: view(label, tx) };
      },
      goOn: async (label, end) => {
        // Another request was a moment faster.
        if (isVoided(label.status)) {
          await call.store.write(async (tx) => end(tx, { status: 200, data: view(await getLabel(tx, label.id), tx) }));
          return;
        }
        const given = voidAtCarrier(at, label, (tx, answer) =>
          end(tx, "fault" in answer ? refused(label, answer.fault) : { status: 200, data: view(answer.label, tx) }),
        );
        await goesOn(call.store.base, told(service, given));
      },
    },
    secret_key,
  );
}

async function voidOwn(tx: Tx, id: string, { actor }: Call): Promise<Label> {
  const before = await getLabel(tx, id);
  await refuseComing(tx, before);
  const label = await voidLabel(tx, id, actor);
  if (!isVoided(before.status)) await labelNews.voided(tx, label, actor);
  return label;
}

/** Refuses: label_not_voidable, for a label whose parcel is on its way back. */
async function refuseComing(tx: Tx, label: Label): Promise<void> {
  if (label.return_id !== null && isUsable(label.status)) await refuseUnderWayBack(tx, label);
}
