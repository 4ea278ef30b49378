// All that is looked at, in the order in which it is told.

import { lookAtAddress } from "./address.ts";
import { lookAtBackups } from "./backups.ts";
import { lookAtCertificate } from "./certificate.ts";
import { lookAtClock } from "./clock.ts";
import { lookAtDisk } from "./disk.ts";
import { type Finding, problem } from "./finding.ts";
import { lookAtLimits } from "./limits.ts";
import { lookAtLocks } from "./locks.ts";
import { lookAtMail } from "./mail.ts";
import { lookAtModes } from "./modes.ts";
import type { Patient } from "./patient.ts";
import { lookAtPostgres } from "./postgres.ts";
import { lookAtReceivers } from "./receivers.ts";
import { lookAtRestored } from "./restored.ts";
import { lookAtSchema } from "./schema.ts";
import { lookAtServers } from "./servers.ts";
import { lookAtVariables } from "./variables.ts";

/** One look: what it is at, and what it finds. It throws where it could not look. */
export interface Look {
  readonly subject: string;
  readonly look: (patient: Patient) => Promise<Finding[]>;
}

/** What is looked at with files, settings and the databases. */
// biome-ignore format: a table is read by its columns.
export const looks: readonly Look[] = [
  { subject: "configuration", look: lookAtVariables },
  { subject: "base URL",      look: lookAtAddress },
  { subject: "certificate",   look: lookAtCertificate },
  { subject: "disk",          look: lookAtDisk },
  { subject: "file modes",    look: lookAtModes },
  { subject: "lock",          look: lookAtLocks },
  { subject: "limits",        look: lookAtLimits },
  { subject: "PostgreSQL",    look: lookAtPostgres },
  { subject: "migrations",    look: lookAtSchema },
  { subject: "backups",       look: lookAtBackups },
  { subject: "restored",      look: lookAtRestored },
  { subject: "servers",       look: lookAtServers },
  { subject: "clock",         look: lookAtClock },
  { subject: "mail",          look: lookAtMail },
  { subject: "receivers",     look: lookAtReceivers },
];

const patience_ms = 60_000;

/** Looks at all, one after another, and tells each finding as it comes. What cannot be looked at is a problem. */
export async function examine(
  patient: Patient,
  all: readonly Look[],
  tell: (finding: Finding) => void,
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const { subject, look } of all) {
    for (const finding of await inTime(subject, look(patient))) {
      found.push(finding);
      tell(finding);
    }
  }
  return found;
}

async function inTime(subject: string, looking: Promise<Finding[]>): Promise<Finding[]> {
  const late = Promise.withResolvers<Finding[]>();
  const unseen = (reason: string) => [problem(subject, `could not be looked at: ${reason}`, "See that first.")];
  const timer = setTimeout(() => late.resolve(unseen("it took too long")), patience_ms);
  const seen = looking.catch((error) => unseen(error instanceof Error ? error.message : String(error)));
  return await Promise.race([seen, late.promise]).finally(() => clearTimeout(timer));
}
