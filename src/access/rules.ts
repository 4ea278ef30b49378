import { Fault } from "../kit/fault.ts";
import { type Granted, lacking, levelFor, type Permission } from "./permission.ts";

/** Refuses to grant or take away a permission that the actor does not have. */
export function refuseBeyond(granted: Granted, wanted: Iterable<Permission>): void {
  const [permission] = lacking(granted, wanted);
  if (permission === undefined) return;
  const message = `You cannot grant or take away a permission that you do not have: ${permission}.`;
  const { name, by } = granted;
  const facts = by === "role" ? { permission, role: name } : { required: levelFor(permission), granted: name };
  throw new Fault("insufficient_permission", message, facts);
}
