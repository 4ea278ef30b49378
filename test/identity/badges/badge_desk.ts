// Devices and badges for tests, as an administrator makes them.
import { expect } from "bun:test";
import type { openApp } from "../../build/service.ts";
import { type Person, signedInAs } from "../people.ts";

type App = Awaited<ReturnType<typeof openApp>>;

export const pin = "7294";

const cookieIn = ({ headers }: { readonly headers: Headers }) => headers.get("set-cookie")?.split(";")[0] ?? "";

/** Requests about badges to a service, and its devices and workers. */
export function badgeDesk(app: App) {
  let made = 0;
  const open = (token: string) => app.call("POST", "/dashboard/api/device", { token }, { key: null });

  /** The token of a new device's link. */
  async function linkedDevice() {
    made += 1;
    const { status, body } = await app.post("/floor_devices", { name: `Scanner ${made}` });
    expect(status).toBe(201);
    return { id: body.data.id as string, token: (body.data.link as string).split("#")[1] ?? "" };
  }

  /** A device, with the cookie of its browser. */
  async function device() {
    const { id, token } = await linkedDevice();
    const opened = await open(token);
    expect(opened.status).toBe(200);
    return { id, cookie: cookieIn(opened) };
  }

  const badgeOf = async (user: string): Promise<string> => {
    const { status, body } = await app.post(`/users/${user}/badge`);
    expect(status).toBe(201);
    return body.data.code;
  };

  /** A user with a badge, and the PIN `pin`, which an administrator chose if it is `temporary`. */
  async function worker(role: Parameters<typeof signedInAs>[1] = "floor", temporary = false): Promise<Worker> {
    const person = await signedInAs(app.service, role);
    const badge = await badgeOf(person.id);
    const first = temporary ? pin : "8361";
    expect((await app.call("PUT", `/users/${person.id}/pin`, { pin: first })).status).toBe(200);
    if (!temporary) {
      const on = await device();
      const chosen = await signIn(on, { badge, pin: first, new_pin: pin });
      expect(chosen.status).toBe(200);
    }
    return { ...person, badge };
  }

  const signIn = (on: { readonly cookie: string }, body: object, session = "") =>
    app.call("POST", "/dashboard/api/badge_session", body, {
      key: null,
      headers: { cookie: [on.cookie, session].filter(Boolean).join("; ") },
    });

  /** The headers of a session that a sign-in began. */
  const session = (answer: { readonly headers: Headers }) => ({ cookie: cookieIn(answer) });

  return { open, linkedDevice, device, badgeOf, worker, signIn, session };
}

/** A user with a badge. */
interface Worker extends Person {
  readonly badge: string;
}
