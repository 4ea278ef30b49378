import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable, Timestamp, timestamp } from "../../core/schema.ts";
import { decisions, runCauses, runStatuses, shownRunKinds } from "./backup_run.transitions.ts";

export const RestorationView = closed({
  id: Type.String(),
  archive: Type.String({ description: "The file of the backup." }),
  as_of: { ...Timestamp, description: "The data contains nothing that happened between this time and the restore." },
  restored_at: timestamp("When the backup was restored."),
  sequence_gap: Type.Integer({
    description:
      "How far ids, tracking numbers, SSCCs, the `sequence` of deliveries and positions of `GET /events` skip ahead.",
  }),
  waiting: {
    ...closed({
      deliveries: Type.Integer({ description: "Webhook deliveries that were pending." }),
      reports: Type.Integer({ description: "Reports to platforms that were pending." }),
      purchases: Type.Integer({ description: "Label purchases that were in progress." }),
    }),
    description: "What was about to be sent at `as_of`, and is held until somebody decides.",
  },
  status: choice(["waiting", "settling", "settled"], {
    description:
      "`waiting`: nothing held is sent before `POST /restorations/decide`. `settling`: a job carries out the decision.",
  }),
  decision: nullable(choice(decisions, { description: "What to do with everything held; null until decided." })),
  decided_at: nullable(timestamp("When it was decided; null before.")),
  decided_by: nullable(Type.String({ description: "The name of the user or API key that decided; null before." })),
});

export const DecideRestored = closed({
  action: choice(decisions, {
    description: "`send` sends everything held, with its event ids; `drop` discards it and marks it as dropped.",
  }),
});
export type DecideRestored = Static<typeof DecideRestored>;

const bytes = (description: string) => nullable(Type.Integer({ description }));

const copied = (description: string) =>
  nullable({
    ...closed({
      at: { ...Timestamp, description: "The time of this environment's data in the backup." },
      commit: bytes("The number of the last commit; null on PostgreSQL."),
    }),
    description,
  });

export const BackupRunView = closed({
  id: Type.String(),
  kind: { ...choice(shownRunKinds), description: "A backup, or the test of one by restoring it." },
  status: choice(runStatuses, { description: "`waiting` until the run in progress has ended." }),
  cause: choice(runCauses, { description: "Whether the schedule or `POST /backups` started it." }),
  destination: Type.String({
    description: "Where it goes: a folder or a bucket; once a backup has succeeded, its file.",
  }),
  size_bytes: bytes("The size of the backup file; null unless a backup succeeded."),
  read_bytes: bytes("Bytes of data that were read for it; null unless a backup succeeded."),
  sha256: nullable(
    Type.String({ description: "The SHA-256 of the backup file, in hexadecimal; null unless a backup succeeded." }),
  ),
  error: nullable(Type.String({ description: "Why it failed; null if it did not." })),
  live: copied("The live data in the backup; null unless a backup succeeded."),
  test: copied("The test data in the backup; null unless a backup succeeded."),
  created_at: timestamp("When it was requested or scheduled."),
  started_at: nullable(timestamp("When it started; null while it waits.")),
  ended_at: nullable(timestamp("When it succeeded or failed; null before.")),
});

export const BackupSettingsView = closed({
  configured: Type.Boolean({ description: "Whether the service makes backups automatically." }),
  destination: nullable(
    Type.String({ description: "Where backups go: a folder or a bucket; null if not configured." }),
  ),
  every_minutes: nullable(Type.Integer({ description: "Minutes between scheduled backups; null if not configured." })),
  keep: nullable({
    ...closed(
      {
        hours: Type.Integer({ description: "Of this many hours, the last backup of each is kept." }),
        days: Type.Integer({ description: "Of this many days, the last of each." }),
        months: Type.Integer({ description: "Of this many months, the last of each." }),
      },
      [],
    ),
    description: "Which backups are kept; others are deleted. Null if not configured.",
  }),
  with_key: Type.Boolean({ description: "Whether backups include the secret key." }),
  late: Type.Boolean({
    description: "Whether two scheduled backups were missed since the last success; without one, since the first run.",
  }),
  last: { ...nullable(BackupRunView), description: "The last successful backup; null if there is none." },
  last_restore_test: {
    ...nullable(BackupRunView),
    description: "The last successful restore test; null if there is none.",
  },
  next_at: nullable(timestamp("When the next scheduled backup starts; null if not configured.")),
  continuous: {
    ...nullable(
      closed({
        shipped_until: {
          ...nullable(Timestamp),
          description: "Everything committed before this time is archived; null if nothing is yet.",
        },
        late: Type.Boolean({
          description: "Whether nothing was archived for a minute, or the destination is unavailable.",
        }),
        waiting_bytes: { ...Type.Integer(), description: "Bytes waiting to be archived." },
        problem: nullable(Type.String({ description: "Why the destination is unavailable; null if it is not." })),
      }),
    ),
    description: "The status of continuous archiving; null without `--continuous`.",
  },
});
export type BackupSettingsView = Static<typeof BackupSettingsView>;
