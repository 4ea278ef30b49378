// All that is looked at, in the order in which it is told.

import type { CheckContext } from "./check.ts";
import { type CheckResult, problem } from "./check.ts";
import {
  checkBackups,
  checkFileModes,
  checkPostgresServer,
  checkRestored,
  checkSchema,
  checkServers,
} from "./data_checks.ts";
import { checkClock, checkDisk, checkLimits, checkLocks, checkVariables } from "./machine_checks.ts";
import { checkBaseUrl, checkCertificate, checkMail, checkReceivers } from "./outside_checks.ts";

/** One look: what it is at, and what it finds. It throws where it could not look. */
export interface DoctorCheck {
  readonly subject: string;
  readonly look: (patient: CheckContext) => Promise<CheckResult[]>;
}

/** What is looked at with files, settings and the databases. */
// biome-ignore format: a table is read by its columns.
export const doctorChecks: readonly DoctorCheck[] = [
  { subject: "configuration", look: checkVariables },
  { subject: "base URL",      look: checkBaseUrl },
  { subject: "certificate",   look: checkCertificate },
  { subject: "disk",          look: checkDisk },
  { subject: "file modes",    look: checkFileModes },
  { subject: "lock",          look: checkLocks },
  { subject: "limits",        look: checkLimits },
  { subject: "PostgreSQL",    look: checkPostgresServer },
  { subject: "migrations",    look: checkSchema },
  { subject: "backups",       look: checkBackups },
  { subject: "restored",      look: checkRestored },
  { subject: "servers",       look: checkServers },
  { subject: "clock",         look: checkClock },
  { subject: "mail",          look: checkMail },
  { subject: "receivers",     look: checkReceivers },
];

const check_timeout_ms = 60_000;

/** Looks at all, one after another, and tells each finding as it comes. What cannot be looked at is a problem. */
export async function runChecks(
  patient: CheckContext,
  all: readonly DoctorCheck[],
  tell: (finding: CheckResult) => void,
): Promise<readonly CheckResult[]> {
  const found: CheckResult[] = [];
  for (const { subject, look } of all) {
    for (const finding of await inTime(subject, look(patient))) {
      found.push(finding);
      tell(finding);
    }
  }
  return found;
}

async function inTime(subject: string, looking: Promise<CheckResult[]>): Promise<CheckResult[]> {
  const late = Promise.withResolvers<CheckResult[]>();
  const unseen = (reason: string) => [problem(subject, `could not be looked at: ${reason}`, "See that first.")];
  const timer = setTimeout(() => late.resolve(unseen("it took too long")), check_timeout_ms);
  const seen = looking.catch((error) => unseen(error instanceof Error ? error.message : String(error)));
  return await Promise.race([seen, late.promise]).finally(() => clearTimeout(timer));
}
