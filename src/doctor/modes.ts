// Who may read the data folder: it holds names, addresses and the secret key.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { FoundFile, Patient } from "./patient.ts";

const others = 0o077;

/** The data folder and all that is in it; nothing where it is not there. */
export function filesIn(data: string): FoundFile[] {
  if (!existsSync(data)) return [];
  const paths = [data, ...readdirSync(data, { recursive: true }).map((name) => join(data, String(name)))];
  return paths.flatMap((path) => {
    const seen = statSync(path, { throwIfNoEntry: false });
    return seen === undefined ? [] : [{ path, mode: seen.mode, uid: seen.uid }];
  });
}

/** Whether nobody but the service's own user may read or change the data. */
export async function lookAtModes({ data, files }: Patient): Promise<Finding[]> {
  const [folder] = files;
  if (process.platform === "win32" || folder === undefined) return [];
  const open = files.filter(({ mode }) => (mode & others) !== 0).map(({ path }) => path);
  const strange = files.filter(({ uid }) => uid !== folder.uid).map(({ path }) => path);
  const found: Finding[] = [];
  if (open.length > 0) {
    const advice = `Run chmod -R go= ${data}, and look who has read it.`;
    found.push(problem("file modes", `others may use ${listed(open)}`, advice));
  }
  if (strange.length > 0) {
    const advice = `Give all of it to the user of the service, such as by chown -R packhouse: ${data}.`;
    found.push(warning("file owners", `${listed(strange)} belong to another user than the folder`, advice));
  }
  return found.length > 0 ? found : [ok("file modes", `${files.length} files and folders are for their owner alone`)];
}

const shown_max = 3;

function listed(paths: readonly string[]): string {
  const more = paths.length > shown_max ? ` and ${paths.length - shown_max} more` : "";
  return `${paths.slice(0, shown_max).join(", ")}${more}`;
}
