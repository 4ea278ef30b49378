// The doctor's checks, in the order in which they run.

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
import { checkUploads } from "./file_checks.ts";
import { checkClock, checkDisk, checkLimits, checkLocks, checkVariables } from "./machine_checks.ts";
import { checkBaseUrl, checkCertificate, checkMail, checkReceivers } from "./outside_checks.ts";

/** One check. It may throw; that counts as a problem. */
export interface DoctorCheck {
  readonly subject: string;
  readonly check: (context: CheckContext) => Promise<CheckResult[]>;
}

/** The checks of files, settings, databases and the network. */
// biome-ignore format: a table is read by its columns.
export const doctorChecks: readonly DoctorCheck[] = [
  { subject: "configuration",  check: checkVariables },
  { subject: "base URL",       check: checkBaseUrl },
  { subject: "certificate",    check: checkCertificate },
  { subject: "disk",           check: checkDisk },
  { subject: "file modes",     check: checkFileModes },
  { subject: "uploaded files", check: checkUploads },
  { subject: "lock",           check: checkLocks },
  { subject: "limits",         check: checkLimits },
  { subject: "PostgreSQL",     check: checkPostgresServer },
  { subject: "migrations",     check: checkSchema },
  { subject: "backups",        check: checkBackups },
  { subject: "restored",       check: checkRestored },
  { subject: "servers",        check: checkServers },
  { subject: "clock",          check: checkClock },
  { subject: "mail",           check: checkMail },
  { subject: "receivers",      check: checkReceivers },
];

const check_timeout_ms = 60_000;

/** Runs checks one after another, and reports each result at once. A check that throws or times out is a problem. */
export async function runChecks(
  context: CheckContext,
  checks: readonly DoctorCheck[],
  onResult: (result: CheckResult) => void,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { subject, check } of checks) {
    for (const result of await inTime(subject, check(context))) {
      results.push(result);
      onResult(result);
    }
  }
  return results;
}

async function inTime(subject: string, running: Promise<CheckResult[]>): Promise<CheckResult[]> {
  const late = Promise.withResolvers<CheckResult[]>();
  const failed = (reason: string) => [problem(subject, `the check failed: ${reason}`, "Fix this first.")];
  const timer = setTimeout(
    () => late.resolve(failed(`no result after ${check_timeout_ms / 1000} s`)),
    check_timeout_ms,
  );
  const done = running.catch((error) => failed(error instanceof Error ? error.message : String(error)));
  return await Promise.race([done, late.promise]).finally(() => clearTimeout(timer));
}
