// Whether the data is of this program.

import { appliedMigrations } from "../database/looking.ts";
import { isPreRelease, upgrade_before } from "../database/takeover.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** What both worlds have of the migrations that the program carries. */
export async function lookAtSchema({ data, database_url, migrations, closed_because }: Patient): Promise<Finding[]> {
  const applied = await appliedMigrations(data, database_url);
  const found: Finding[] = [];
  if (Object.values(applied).some((names) => names?.length === 0)) {
    const where = database_url === null ? data : "the database";
    const flag = database_url === null ? "its folder with --data" : "another one with --database-url";
    const advice = `Name ${flag}, or create it with packhouse serve.`;
    found.push(problem("data", `there is no Packhouse data in ${where}`, advice));
  }
  for (const [mode, names] of Object.entries(applied)) {
    if (names === null) continue;
    const lacking = migrations.filter((name) => !names.includes(name));
    const strange = isPreRelease(names) ? [] : names.filter((name) => !migrations.includes(name));
    const subject = `migrations (${mode})`;
    if (names.length === 0) continue;
    if (strange.length > 0 && !names.includes(migrations[0] ?? "")) {
      found.push(problem(subject, "the data is of a Packhouse from before the first release", upgrade_before));
    } else if (strange.length > 0) {
      const said = `a newer Packhouse has added ${strange.join(", ")}`;
      found.push(warning(subject, said, "Use the program of that version; this one may be refused."));
    } else if (lacking.length > 0) {
      const said = `${lacking.length} are still to be run: ${lacking.join(", ")}`;
      found.push(warning(subject, said, "The next start runs them. Look at packhouse upgrade --check first."));
    } else found.push(ok(subject, `all ${names.length} have been run`));
  }
  if (closed_because !== null) {
    found.push(problem("data", closed_because, "What needs the records could not be looked at."));
  }
  return found;
}
