import { Elysia } from "elysia";
import type { Db } from "../../database/store.ts";
import { answerRead, answerWrite } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { iso } from "../../kit/clock.ts";
import { queryOf } from "../../kit/schema.ts";
import { requestBackup } from "./commands.ts";
import { lateFrom, nextDueAt, runView, shippedView } from "./rules.ts";
import { BackupRunView, BackupSettingsView, ListBackups } from "./schemas.ts";
import { countRuns, findLastBegun, findLastDone, listRuns } from "./store.ts";

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
