// The settings of the environment: misspelt ones would be passed over without a word.
import { closest } from "../kit/did_you_mean.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** Whether every variable that is set is one that is known, and says something that can be used. */
export async function lookAtVariables({ variables, refused, secret_key, database_url }: Patient): Promise<Finding[]> {
  const strange = variables.set.filter((name) => !variables.known.includes(name));
  const found = strange.map((name) => {
    const meant = closest(name, variables.known);
    const advice = meant === null ? "Remove it; packhouse serve --help lists what there is." : `Call it ${meant}.`;
    return problem("configuration", `${name} is set, and no setting is called so`, advice);
  });
  found.push(...refused.map((said) => problem("configuration", said, "The service does not start with it.")));
  if (secret_key === "none" && database_url !== null) {
    const advice =
      "Set the same 32 bytes on every server (openssl rand -hex 32), and keep them apart from the backups.";
    found.push(problem("secret key", "PACKHOUSE_SECRET_KEY is not set, and PostgreSQL needs it", advice));
  } else if (secret_key === "file") {
    const advice = "Keep a copy of secret.key apart from the data: a backup has it only with --with-key.";
    found.push(warning("secret key", "it lies beside the data that it seals", advice));
  }
  if (found.some(({ subject }) => subject === "configuration")) return found;
  return [ok("configuration", `${variables.set.length} variables are set, and all are known`), ...found];
}
