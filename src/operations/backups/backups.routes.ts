import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import type { Db } from "../../storage/database.ts";
import { listRestorations, type Restoration } from "../../storage/installation.ts";
import { lateFrom, nextDueAt, runView, shippedView } from "./backup_run.ts";
import { countRuns, findLastBegun, findLastDone, listRuns } from "./backup_runs.sql.ts";
import { requestBackup } from "./backup_runs.ts";
import { BackupRunView, BackupSettingsView, DecideRestored, ListBackups, RestorationView } from "./backups.schema.ts";
import { decide } from "./settle_restore.ts";

/** That the data came from a backup, and what becomes of what waited then. */
export const restorationRoutes = new Elysia({ prefix: "/restorations" })
  .use(conventions)
  .get("", ({ call }) => answerRead(call, async (db) => (await listRestorations(db)).map(restorationView)), {
    detail: documented({
      id: "listRestorations",
      needs: "metrics.read",
      chapter: "Service",
      summary: "List the restores of this world from backups, the last one first",
      description:
        "What a restore left out is never given: a consumer of `GET /events` goes on with its cursor, and of what it" +
        " knows that happened after `as_of` the service knows nothing.",
      answers: { 200: EnvelopedView(Type.Array(RestorationView)) },
    }),
  })
  .post(
    "/decide",
    ({ call, body }) =>
      answerWrite(call, 202, async (tx) => restorationView(await decide(tx, body.action, call.actor.name))),
    {
      body: bodyOf(DecideRestored),
      detail: documented({
        id: "decideRestored",
        needs: "house.manage",
        chapter: "Service",
        summary: "Decide what becomes of what has waited since a restore",
        description: "A job carries it out. The same decision may be sent again, and another one is refused.",
        refuses: ["invalid_state_transition"],
        answers: { 202: EnvelopedView(RestorationView) },
      }),
    },
  );

function restorationView(restoration: Restoration): (typeof RestorationView)["static"] {
  const { id, archive, decision, decided_by, settled_at } = restoration;
  return {
    id: wireId("restoration", id),
    archive,
    as_of: iso(restoration.as_of),
    restored_at: iso(restoration.restored_at),
    numbers_advanced_by: restoration.advanced_by,
    waiting: {
      deliveries: restoration.waiting_deliveries,
      reports: restoration.waiting_reports,
      purchases: restoration.waiting_purchases,
    },
    status: settled_at !== null ? "settled" : decision === null ? "waiting" : "settling",
    decision,
    decided_at: isoOrNull(restoration.decided_at),
    decided_by,
  };
}

const common = { needs: "house.manage", live_only: true, chapter: "Service" } as const;

/** The backups that the service makes. */
export const backupRoutes = (service: Service) =>
  new Elysia({ prefix: "/backups" })
    .use(conventions)
    .get(
      "",
      ({ call, query }) =>
        answerList(
          call,
          query,
          { rows: listRuns, count: countRuns, position: ({ created_at, id }) => [created_at, id] },
          (runs) => runs.map(runView),
        ),
      {
        query: queryOf(ListBackups),
        detail: documented({
          ...common,
          id: "listBackups",
          summary: "List the runs of the backups, newest first",
          description: "What `packhouse backup` makes on the command line is not among them.",
          answers: { 200: ListView(BackupRunView) },
        }),
      },
    )
    .get("/settings", ({ call }) => answerRead(call, (db) => settings(db, service)), {
      detail: documented({
        ...common,
        id: "getBackupSettings",
        summary: "Get the backup settings, and how it stands with the backups",
        description: "They are set by flags of `packhouse serve`: --backup-to, --backup-every and --backup-keep.",
        answers: { 200: EnvelopedView(BackupSettingsView) },
      }),
    })
    .post("", ({ call }) => answerWrite(call, 202, async (tx) => runView(await requestBackup(tx, service.backups))), {
      detail: documented({
        ...common,
        id: "startBackup",
        summary: "Make a backup now",
        description: "It begins at once, or after the one that goes on. One that waits already is answered.",
        refuses: ["backups_not_configured"],
        answers: { 202: EnvelopedView(BackupRunView) },
      }),
    });

async function settings(db: Db, { backups: plan, shipped, stores }: Service): Promise<BackupSettingsView> {
  const [last, proof] = [await findLastDone(db, "backup"), await findLastDone(db, "proof")];
  const begun = await findLastBegun(db, "backup");
  // What is shipped is of the live world's clock, whoever asks.
  const continuous = shipped === undefined ? null : shippedView(shipped(), stores.live.clock.now());
  const shown = {
    last: last === null ? null : runView(last),
    last_proof: proof === null ? null : runView(proof),
    continuous,
  };
  if (plan === null) {
    const nothing = { place: null, every_minutes: null, keep: null, next_at: null, with_key: false, late: false };
    return { configured: false, ...nothing, ...shown };
  }
  const { to, every_minutes, keep, with_key } = plan;
  const late = last !== null && lateFrom(last.ended_at ?? 0, plan) <= db.now;
  const next_at = iso(Math.max(nextDueAt(begun, plan, db.now), db.now));
  return { configured: true, place: to, every_minutes, keep: { ...keep }, with_key, late, next_at, ...shown };
}
