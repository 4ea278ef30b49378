import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable, Timestamp } from "../../core/schema.ts";
import { decisions, runCauses, runKinds, runStatuses } from "./backup_run.transitions.ts";

export const RestorationView = closed({
  id: Type.String(),
  archive: Type.String({ description: "The file of the backup." }),
  as_of: { ...Timestamp, description: "The data contains nothing that happened between this time and the restore." },
  restored_at: Timestamp,
  numbers_advanced_by: Type.Integer({
    description:
      "How far ids, tracking numbers, SSCCs, the `sequence` of deliveries and positions of `GET /events` skip ahead.",
  }),
  waiting: closed({
    deliveries: Type.Integer({ description: "Webhook deliveries that were pending at that time." }),
    reports: Type.Integer({ description: "Reports to platforms that were pending." }),
    purchases: Type.Integer({ description: "Label purchases in progress." }),
  }),
  status: choice(["waiting", "settling", "settled"], {
    description: "`waiting`: nothing held is sent before `POST /restorations/decide`.",
  }),
  decision: nullable(choice(decisions)),
  decided_at: nullable(Timestamp),
  decided_by: nullable(Type.String()),
});

export const DecideRestored = closed({
  action: choice(decisions, {
    description: "`send` sends everything held, with its event ids; `drop` discards it and marks it as dropped.",
  }),
});
export type DecideRestored = Static<typeof DecideRestored>;

const bytes = nullable(Type.Integer());

const world = nullable(
  closed({
    at: { ...Timestamp, description: "The time of this environment's data in the backup." },
    commit: { ...bytes, description: "The number of the last commit; null on PostgreSQL." },
  }),
);

export const BackupRunView = closed({
  id: Type.String(),
  kind: { ...choice(runKinds), description: "A backup, or the proof of one by a test restore." },
  status: choice(runStatuses),
  cause: choice(runCauses),
  place: Type.String({ description: "The destination; for a finished backup, the file." }),
  size_bytes: bytes,
  read_bytes: { ...bytes, description: "Bytes read for it." },
  sha256: nullable(Type.String()),
  error: { ...nullable(Type.String()), description: "Why it failed." },
  live: world,
  test: world,
  created_at: Timestamp,
  begun_at: nullable(Timestamp),
  ended_at: nullable(Timestamp),
});

export const BackupSettingsView = closed({
  configured: Type.Boolean({ description: "Whether the service makes backups automatically." }),
  place: nullable(Type.String()),
  every_minutes: nullable(Type.Integer()),
  keep: nullable(closed({ hours: Type.Integer(), days: Type.Integer(), months: Type.Integer() }, [])),
  with_key: Type.Boolean({ description: "Whether backups include the secret key." }),
  late: Type.Boolean({ description: "Whether two scheduled backups were missed." }),
  last: { ...nullable(BackupRunView), description: "The last successful backup." },
  last_proof: { ...nullable(BackupRunView), description: "The last successful proof of a backup." },
  next_at: { ...nullable(Timestamp), description: "When the next backup starts." },
  continuous: {
    ...nullable(
      closed({
        shipped_until: {
          ...nullable(Timestamp),
          description: "Everything committed before this time is archived.",
        },
        late: Type.Boolean({
          description: "Whether nothing was archived for a minute, or the destination is unavailable.",
        }),
        waiting_bytes: { ...Type.Integer(), description: "Bytes waiting to be archived." },
        problem: { ...nullable(Type.String()), description: "Why the destination is unavailable." },
      }),
    ),
    description: "The status of continuous archiving; null without `--continuous`.",
  },
});
export type BackupSettingsView = Static<typeof BackupSettingsView>;
