// Users and invitations.
import { Secret, TOTP } from "otpauth";
import { hashPassword } from "../../../../src/identity/users/passwords.ts";
import { getUser, saveUser } from "../../../../src/identity/users/users.sql.ts";
import { personWithPassword, signedInAs, signInAgain } from "../../../identity/people.ts";
import type { Teller } from "./record_example.ts";

const [old_password, password] = ["correct horse battery", "staple of the whole house"];

/** Users, their own settings, and their sessions. They exist only in live. */
export async function people(teller: Teller): Promise<void> {
  const { app, tell } = teller;
  const key = app.keys.live.full;
  const { service } = app;
  await signedInAs(service, "owner", "Olive Owner");
  const { id, headers } = await signedInAs(service, "office", "Otis Office");
  const password_hash = await hashPassword(old_password);
  await service.stores.live.write(async (tx) => saveUser(tx, { ...(await getUser(tx, id)), password_hash }));
  await tell("listRoles", { key });
  await tell("listUsers", { key, query: { status: "active" } });
  await tell("getUser", { key, path: { id } });
  await tell("getMe", { key: null, headers });
  await tell("updateMe", { key: null, headers, body: { name: "Otis Office, new" } });
  await tell("changePassword", { key: null, headers, body: { current_password: old_password, password } });
  await signInAgain(service, id);
  const [other] = (await tell("listMySessions", { key: null, headers })).data;
  await tell("endMySession", { key: null, headers, path: { session_id: other.id } });
  await tell("endMyOtherSessions", { key: null, headers });
  await tell("listSessions", { key, path: { id } });
  await tell("updateUser", { key, path: { id }, body: { role: "manager" } });
  await tell("endSessions", { key, path: { id } });
  const guest = await signedInAs(service, "viewer", "Vera Viewer");
  const [theirs] = (await tell("listSessions", { key, path: { id: guest.id } })).data;
  await secondFactor(teller);
  await invitations(teller);
  await badges(teller);
  await tell("endSession", { key, path: { id: guest.id, session_id: theirs.id } });
}

/** The second factor of a user, from the QR code to its removal. */
async function secondFactor({ app, tell }: Teller): Promise<void> {
  const { service } = app;
  const { headers } = await personWithPassword(service, "office", password, "Sam Second");
  const as = { key: null, headers };
  const { secret } = (await tell("beginSecondFactor", as)).data;
  const timestamp = app.clocks.live.now();
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
  await tell("confirmSecondFactor", { ...as, body: { code } });
  await tell("getSecondFactor", as);
  await tell("renewRecoveryCodes", { ...as, body: { password } });
  await tell("turnOffSecondFactor", { ...as, body: { password } });
}

/** Invitations to become a user. */
async function invitations({ app, tell }: Teller): Promise<void> {
  const key = app.keys.live.full;
  const { id } = (await tell("createInvitation", { key, body: { email: "ida@example.com", role: "office" } })).data;
  const path = { id };
  await tell("listInvitations", { key, query: { status: "open" } });
  await tell("getInvitation", { key, path });
  await tell("resendInvitation", { key, path });
  await tell("revokeInvitation", { key, path });
}

/** Floor devices, and the badge and PIN of a user. */
async function badges({ app, tell }: Teller): Promise<void> {
  const key = app.keys.live.full;
  const { id, headers } = await personWithPassword(app.service, "floor", password, "Flo Floor");
  const path = { id };
  const [{ warehouse_id }] = (await app.call("GET", "/inventory/locations", undefined, { key })).body.data;
  const device = (await tell("createFloorDevice", { key, body: { name: "Scanner 4", warehouse_id } })).data;
  await tell("listFloorDevices", { key, query: { status: "unopened" } });
  await tell("linkFloorDevice", { key, path: { id: device.id } });
  await tell("updateFloorDevice", { key, path: { id: device.id }, body: { name: "Packing table 2" } });
  await tell("getFloorDevice", { key, path: { id: device.id } });
  await tell("makeBadge", { key, path });
  await tell("setPin", { key, path, body: { pin: "7294" } });
  await tell("getBadge", { key, path });
  await tell("setMyPin", { key: null, headers, body: { pin: "5830", current_password: password } });
  await tell("getMyBadge", { key: null, headers });
  await tell("removeBadge", { key, path });
  await tell("revokeFloorDevice", { key, path: { id: device.id } });
}
