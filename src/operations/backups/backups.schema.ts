import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable, pageFields } from "../../core/schema.ts";
import { decisions, runCauses, runKinds, runStatuses } from "./backup_run.transitions.ts";

const date_time = Type.String({ format: "date-time" });

export const RestorationView = closed({
  id: Type.String(),
  archive: Type.String({ description: "The file of the backup." }),
  as_of: { ...date_time, description: "What happened after this moment is not in the data, unless it happened again." },
  restored_at: date_time,
  numbers_advanced_by: Type.Integer({
    description:
      "Ids, tracking numbers, SSCCs, `sequence` of deliveries and the places of `GET /events` go on so much further.",
  }),
  waiting: closed({
    deliveries: Type.Integer({ description: "Webhook deliveries that waited to be sent as of that moment." }),
    reports: Type.Integer({ description: "Reports to platforms that waited." }),
    purchases: Type.Integer({ description: "Labels that were being bought." }),
  }),
  status: choice(["waiting", "settling", "settled"], {
    description: "`waiting`: nothing of it goes out before `POST /restorations/decide`.",
  }),
  decision: nullable(choice(decisions)),
  decided_at: nullable(date_time),
  decided_by: nullable(Type.String()),
});

export const DecideRestored = closed({
  action: choice(decisions, {
    description: "`send` lets what has waited go out, with its event ids; `drop` never does, and marks it.",
  }),
});
export type DecideRestored = Static<typeof DecideRestored>;

const moment = Type.String({ format: "date-time" });
const bytes = nullable(Type.Integer());

export const ListBackups = closed({ ...pageFields });
export type ListBackups = Static<typeof ListBackups>;

const world = nullable(
  closed({
    at: { ...moment, description: "The moment of this world that the backup holds." },
    commit: { ...bytes, description: "The number of its last commit; null on PostgreSQL." },
  }),
);

export const BackupRunView = closed({
  id: Type.String(),
  kind: { ...choice(runKinds), description: "A backup, or the proof of one: restored aside and verified." },
  status: choice(runStatuses),
  cause: choice(runCauses),
  place: Type.String({ description: "Where it goes; once it is made, the file itself." }),
  size_bytes: bytes,
  read_bytes: { ...bytes, description: "How much was read for it." },
  sha256: nullable(Type.String()),
  error: { ...nullable(Type.String()), description: "Why it failed." },
  live: world,
  test: world,
  created_at: moment,
  begun_at: nullable(moment),
  ended_at: nullable(moment),
});

export const BackupSettingsView = closed({
  configured: Type.Boolean({ description: "Whether the service makes backups by itself." }),
  place: nullable(Type.String()),
  every_minutes: nullable(Type.Integer()),
  keep: nullable(closed({ hours: Type.Integer(), days: Type.Integer(), months: Type.Integer() }, [])),
  with_key: Type.Boolean({ description: "Whether the secret key is put into them." }),
  late: Type.Boolean({ description: "Whether two backups could have been made since the last one." }),
  last: { ...nullable(BackupRunView), description: "The last backup that was made." },
  last_proof: { ...nullable(BackupRunView), description: "The last one that was restored aside and verified." },
  next_at: { ...nullable(moment), description: "When the next one begins." },
  continuous: {
    ...nullable(
      closed({
        shipped_until: {
          ...nullable(moment),
          description: "All that was committed by then is in the place of the backups.",
        },
        late: Type.Boolean({
          description: "Whether nothing has come there for a minute, or the place cannot be reached.",
        }),
        waiting_bytes: { ...Type.Integer(), description: "How much waits to be sent." },
        problem: { ...nullable(Type.String()), description: "Why the place could not be reached." },
      }),
    ),
    description: "How it stands with what is shipped every ten seconds; null without `--continuous`.",
  },
});
export type BackupSettingsView = Static<typeof BackupSettingsView>;
