import { Elysia } from "elysia";
import { answerRead, answerWrite } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { tagged } from "../../http/preconditions.ts";
import { documented } from "../../http/route.ts";
import { bodyOf } from "../../kit/schema.ts";
import { getSubscription } from "../subscriptions/store.ts";
import { startRecovery } from "./commands.ts";
import { recoveryView } from "./recovery.ts";
import { RecoveryView, StartRecovery } from "./schemas.ts";
import { getRecovery, outcomeOf } from "./store.ts";

/** Recoveries of missed deliveries. */
export const recoveryRoutes = new Elysia({ prefix: "/webhooks" })
  .use(conventions)
  .post(
    "/:id/recover",
    ({ call, params, body }) =>
      answerWrite(call, 202, async (tx) =>
        recoveryView(await startRecovery(tx, params.id, body), { pending: 0, delivered: 0 }),
      ),
    {
      body: bodyOf(StartRecovery),
      detail: documented({
        id: "recoverWebhook",
        needs: "webhooks.manage",
        chapter: "Webhooks",
        summary: "Recover missed deliveries of a subscription",
        refuses: ["subscription_disabled"],
        answers: { 202: EnvelopedView(RecoveryView) },
      }),
    },
  )
  .get(
    "/:id/recover/:job_id",
    ({ call, params }) =>
      answerRead(call, async (db) => {
        const recovery = await getRecovery(db, (await getSubscription(db, params.id)).id, params.job_id);
        return tagged(recoveryView(recovery, await outcomeOf(db, recovery.id)), null);
      }),
    {
      detail: documented({
        id: "getWebhookRecovery",
        needs: "webhooks.read",
        chapter: "Webhooks",
        tagged: true,
        summary: "Get the progress of a recovery",
        answers: { 200: EnvelopedView(RecoveryView) },
      }),
    },
  );
