import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable } from "../../kit/schema.ts";
import { runCauses, runKinds, runStatuses } from "./status.ts";

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
