// The bill of materials of a binary, as CycloneDX 1.6.
import { createHash } from "node:crypto";
import * as CycloneDx from "@cyclonedx/cyclonedx-library";
import manifest from "../../package.json" with { type: "json" };
import type { Carried } from "./licences.ts";
import type { Target } from "./targets.ts";

const { Enums, Models, Serialize, Spec, Validation, SPDX } = CycloneDx;

/** A licence in a bill: its SPDX id, or an expression of several. */
function licensed(expression: string) {
  const is_id = SPDX.isSupportedSpdxId(expression);
  const one = is_id ? new Models.SpdxLicense(expression) : new Models.LicenseExpression(expression);
  return new Models.LicenseRepository([one]);
}

/**
 * The bill of materials of a target's binary, as JSON that is valid against the schema. `made_at` is the time of its
 * source. Its serial number follows from the components, so that the same components yield the same bill.
 */
export async function billOf(target: Target, packages: readonly Carried[], made_at: Date): Promise<string> {
  const own = new Models.Component(Enums.ComponentType.Application, "packhouse", {
    bomRef: "packhouse",
    version: manifest.version,
    licenses: licensed(manifest.license),
  });
  const runtime = new Models.Component(Enums.ComponentType.Platform, "bun", {
    bomRef: `pkg:npm/%40oven/${target.runtime}@${Bun.version}`,
    purl: `pkg:npm/%40oven/${target.runtime}@${Bun.version}`,
    version: Bun.version,
    licenses: licensed("MIT"),
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm["SHA-256"], target.sha256]]),
  });
  const parts = packages.map(({ name, version, licence, homepage }) => {
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    const about =
      homepage === null ? [] : [new Models.ExternalReference(homepage, Enums.ExternalReferenceType.Website)];
    return new Models.Component(Enums.ComponentType.Library, name, {
      ...{ bomRef: purl, purl, version, licenses: licensed(licence) },
      externalReferences: new Models.ExternalReferenceRepository(about),
    });
  });
  for (const part of [runtime, ...parts]) own.dependencies.add(part.bomRef);
  const bill = new Models.Bom({
    serialNumber: serialOf([target.name, manifest.version, target.sha256, ...parts.map(({ bomRef }) => bomRef.value)]),
    metadata: new Models.Metadata({ component: own, timestamp: made_at }),
    components: new Models.ComponentRepository([runtime, ...parts]),
  });
  const writer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  const text = `${writer.serialize(bill, { sortLists: true, space: 2 })}\n`;
  const problem = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
  if (problem !== null) throw new Error(`The bill of ${target.name} is not valid: ${JSON.stringify(problem)}`);
  return text;
}

/** A serial number, as a UUID of version 8, from the listed components. */
function serialOf(parts: readonly (string | undefined)[]): string {
  const hex = createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
  const digits = `${hex.slice(0, 12)}8${hex.slice(13, 16)}a${hex.slice(17)}`;
  return `urn:uuid:${digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")}`;
}
