import { Type } from "@sinclair/typebox";
import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { list, read, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import type { Db } from "../../storage/database.ts";
import { listRestorations, type Restoration } from "../../storage/installation.ts";
import { lateFrom, nextDueAt, runView, shippedView } from "./backup_run.ts";
import { findFirst, findLastBegun, findLastDone, runList } from "./backup_runs.sql.ts";
import { requestBackup } from "./backup_runs.ts";
import { BackupRunView, BackupSettingsView, DecideRestored, RestorationView } from "./backups.schema.ts";
import { decide } from "./settle_restore.ts";

/** Routes of restores from backups, and of the decision about what they hold. */
export const restorationRoutes = routes("Service", [
  read("/restorations", "metrics.read", {
    id: "listRestorations",
    summary: "List this environment's restores from backups, newest first",
    description:
      "The service has no record of what happened between `as_of` of a restore and the restore itself, but never" +
      " assigns ids of that time again. A consumer of `GET /events` continues with its cursor.",
    view: Type.Array(RestorationView),
    data: async (db) => (await listRestorations(db)).map(restorationView),
  }),
  write("POST", "/restorations/decide", "operator.manage", {
    id: "decideRestored",
    summary: "Send or discard everything held since a restore",
    description:
      "Decides what happens to the deliveries, reports and label purchases that were pending in the restored backup." +
      " A job carries it out. Repeating the same decision changes nothing; a different one is refused.",
    refuses: ["invalid_state_transition"],
    body: DecideRestored,
    view: RestorationView,
    status: 202,
    act: async (tx, { call, body }) => restorationView(await decide(tx, body.action, call.actor.name)),
  }),
]);

function restorationView(restoration: Restoration): (typeof RestorationView)["static"] {
  const { id, archive, decision, decided_by, settled_at } = restoration;
  return {
    id: wireId("restoration", id),
    archive,
    as_of: iso(restoration.as_of),
    restored_at: iso(restoration.restored_at),
    sequence_gap: restoration.advanced_by,
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

/** Routes of the backups that the service makes. */
export const backupRoutes = (service: Service) =>
  routes("Service", [
    list("/backups", "operator.manage", {
      id: "listBackups",
      summary: "List backup runs, newest first",
      description:
        "Lists the backups that the service made, and its weekly restore tests of the last one. Backups" +
        " made with `packhouse backup` on the command line are not included.",
      live_only: true,
      of: runList,
      view: BackupRunView,
      views: (runs) => runs.map(runView),
    }),
    read("/backups/settings", "operator.manage", {
      id: "getBackupSettings",
      summary: "Get the backup settings and status",
      description:
        "Returns where and how often backups are made, the last ones, and whether they are late. Flags of" +
        " `packhouse serve` set all of it: --backup-to, --backup-every and --backup-keep.",
      live_only: true,
      view: BackupSettingsView,
      data: (db) => settings(db, service),
    }),
    write("POST", "/backups", "operator.manage", {
      id: "startBackup",
      summary: "Make a backup now",
      description:
        "Requests a backup, which starts at once or after the run in progress; `GET /backups` shows its end. While" +
        " one is waiting, another request returns the same one.",
      refuses: ["backups_not_configured"],
      live_only: true,
      view: BackupRunView,
      status: 202,
      act: async (tx) => runView(await requestBackup(tx, service.backups)),
    }),
  ]);

async function settings(db: Db, { backups: plan, shipped, stores }: Service): Promise<BackupSettingsView> {
  const [last, proof] = [await findLastDone(db, "backup"), await findLastDone(db, "proof")];
  const begun = await findLastBegun(db, "backup");
  // Archiving uses the clock of the live environment, in either environment.
  const continuous = shipped === undefined ? null : shippedView(shipped(), stores.live.clock.now());
  const shown = {
    last: last === null ? null : runView(last),
    last_restore_test: proof === null ? null : runView(proof),
    continuous,
  };
  if (plan === null) {
    const nothing = { destination: null, every_minutes: null, keep: null, next_at: null, with_key: false, late: false };
    return { configured: false, ...nothing, ...shown };
  }
  const { to, every_minutes, keep, with_key } = plan;
  const since = last?.ended_at ?? (await findFirst(db, "backup"))?.created_at ?? db.now;
  const late = lateFrom(since, plan) <= db.now;
  const next_at = iso(Math.max(nextDueAt(begun, plan, db.now), db.now));
  return { configured: true, destination: to, every_minutes, keep: { ...keep }, with_key, late, next_at, ...shown };
}
