// Members of merchants: the active membership of a session, its access, and how members are added and removed.
import { describe, expect, test } from "bun:test";
import { readId } from "../../../src/core/ids.ts";
import type { Role } from "../../../src/identity/users/roles.ts";
import { codeOf, openShop } from "../../build/shop.ts";
import { type Person, personWithPassword, signedInAs } from "../people.ts";

const password = "correct horse battery";
let made = 0;

const merchantOf = async (code: string) => {
  const { status, body } = await shop.app.post("/merchants", { code, name: `${code} Ltd`, color: "#1f6feb" });
  expect(status).toBe(201);
  return body.data.id;
};
const shop = await openShop();
shop.app.watch.keep("a password", password);
const house: Person = await signedInAs(shop.app.service, "owner", "Olive");
const [acme, bolt] = [await merchantOf("ACME"), await merchantOf("BOLT")];

type Who = Pick<Person, "headers">;
const as = (who: Who, method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
  shop.app.call(method, path, body, { key: null, headers: { ...who.headers, ...more } });
const memberOf = (merchant: string, role: Role) =>
  signedInAs(shop.app.service, role, undefined, readId("merchant", merchant));
const me = async (who: Who, more = {}) => (await as(who, "GET", "/users/me", undefined, more)).body.data;
const skus = async (who: Who, more = {}): Promise<string[]> =>
  (await as(who, "GET", "/products?limit=100", undefined, more)).body.data.map((one: { sku: string }) => one.sku);
const product = async (merchant: string) => {
  const sku = fresh("OWN-");
  const { status } = await shop.app.post("/products", { sku, name: "Tea", merchant_id: merchant });
  expect(status).toBe(201);
  return sku;
};
/** Uploads a file that waits for the mapping of its columns. */
const upload = (who: Who, kind: string, more: Record<string, string> = {}) =>
  as(who, "POST", `/imports?kind=${kind}`, "A,B\n1,2\n", { "content-type": "text/csv", ...more });
const fresh = (name: string, end = "") => {
  made += 1;
  return `${name}${made}${end}`;
};
const address = () => fresh("member.", "@packhouse.test");
const tokenIn = ({ link }: { link: string }) => link.split("#")[1] ?? "";
const open = (method: "look" | "accept", body: unknown) =>
  shop.app.call("POST", `/dashboard/api/invitations/${method}`, body, { key: null });
const signIn = (email: string) => shop.app.call("POST", "/dashboard/api/session", { email, password }, { key: null });
const cookieOf = ({ headers }: { headers: Headers }) => ({
  headers: { cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "" },
});
/** Adds a user to a merchant with an invitation that the user accepts while signed in. */
const join = async (who: Person, merchant_id: string | null, role: Role) => {
  const { body } = await as(house, "POST", "/invitations", { email: who.email, role, merchant_id });
  const joined = await as(who, "POST", "/users/me/memberships", { token: tokenIn(body.data) });
  expect(joined.status).toBe(201);
  return joined.body.data;
};
const trail = async (actor: string, action: string) =>
  (await shop.app.get(`/audit?actor=${actor}&action=${action}`)).body.data;

describe("a member of a merchant", () => {
  test("accesses and creates the merchant's records, and sees the merchant's name", async () => {
    const [own, other] = [await product(acme), await product(bolt)];
    const office = await memberOf(acme, "office");
    const seen = await skus(office);
    expect([seen.includes(own), seen.includes(other)]).toEqual([true, false]);
    const sku = `MADE-${made}`;
    const { body } = await as(office, "POST", "/products", { sku, name: "Jam" });
    expect(body.data.merchant_id).toBe(acme);
    const brief = { id: acme, code: "ACME", name: "ACME Ltd", color: "#1f6feb" };
    const membership = { covers: "merchant", merchant_id: acme, merchant: brief, role: "office", status: "active" };
    expect(await me(office)).toMatchObject({
      role: "office",
      memberships: [membership],
      current: membership,
      merchant: { ...brief, status: "active", may_buy_labels: false },
      view_as: null,
    });
    expect(codeOf(await as(office, "GET", `/products/${other}`))).toBe("resource_missing");
    expect(codeOf(await as(office, "GET", "/products", undefined, { "packhouse-merchant": "BOLT" }))).toBe(
      "malformed_header",
    );
    const session = await as(office, "GET", "/dashboard/api/session");
    const shown: string[] = session.body.permissions;
    expect([shown.includes("orders.write"), shown.includes("stock.write"), shown.includes("shipping.buy")]).toEqual([
      ...[true, false, false],
    ]);
    expect(session.body).toMatchObject({ user: { role: "office" }, merchant: { code: "ACME" }, view_as: null });
  });

  test("may do what the role allows at a merchant, and nothing of the operator's", async () => {
    const [owner, viewer] = [await memberOf(acme, "owner"), await memberOf(acme, "viewer")];
    const asked = async (who: Who) => [
      codeOf(await as(who, "POST", "/keys", { name: "k", permission: "read" })),
      codeOf(await as(who, "PATCH", "/inventory/NONE", { adjustment: 1, reason: "correction" })),
      codeOf(await as(who, "GET", "/audit")),
      codeOf(await as(who, "GET", "/merchants")),
      codeOf(await as(who, "GET", "/orders")),
    ];
    const closed = "not_for_merchants";
    expect(await asked(owner)).toEqual([201, closed, closed, closed, 200]);
    const lacks = "insufficient_permission";
    expect(await asked(viewer)).toEqual([lacks, lacks, lacks, closed, 200]);
  });

  test("with two merchants acts for one at a time: by session, or by header for one request", async () => {
    const both = await memberOf(acme, "viewer");
    expect(await join(both, bolt, "office")).toMatchObject({ current: { merchant_id: acme }, role: "viewer" });
    const [of_acme, of_bolt] = [await product(acme), await product(bolt)];
    const sees = async (more = {}) => {
      const seen = await skus(both, more);
      return [seen.includes(of_acme), seen.includes(of_bolt)];
    };
    expect([await sees(), await sees({ "packhouse-merchant": "BOLT" })]).toEqual([
      ...[
        [true, false],
        [false, true],
      ],
    ]);
    const make = (more = {}) => as(both, "POST", "/products", { sku: `B-${made}`, name: "Tea" }, more);
    expect([codeOf(await make()), codeOf(await make({ "packhouse-merchant": bolt }))]).toEqual([
      ...["insufficient_permission", 201],
    ]);
    const chosen = await as(both, "POST", "/users/me/membership", { merchant: "BOLT" });
    expect(chosen.body.data).toMatchObject({ current: { merchant_id: bolt, role: "office" }, merchant: { id: bolt } });
    expect(await sees()).toEqual([false, true]);
    for (const merchant of ["MAIN", "NONE", null]) {
      expect(codeOf(await as(both, "POST", "/users/me/membership", { merchant }))).toBe("validation_failed");
    }
  });

  test("with two merchants sees and runs the imports of the one acted for", async () => {
    const both = await memberOf(acme, "office");
    await join(both, bolt, "office");
    const [at_acme, at_bolt] = [{ "packhouse-merchant": acme }, { "packhouse-merchant": bolt }];
    const ids: string[] = [];
    for (const at of [at_acme, at_bolt]) ids.push((await upload(both, "customers", at)).body.data.id);
    const listed = async (more: object) =>
      (await as(both, "GET", "/imports", undefined, { ...more })).body.data.map(({ id }: { id: string }) => id);
    expect([await listed({}), await listed(at_bolt)]).toEqual([[ids[0]], [ids[1]]]);
    for (const [method, path] of [
      ...(["", "/rows", "/rejected.csv"] as const).map((path) => ["GET", path] as const),
      ...(["/check", "/run", "/cancel"] as const).map((path) => ["POST", path] as const),
    ]) {
      const body = method === "POST" ? {} : undefined;
      expect([path, codeOf(await as(both, method, `/imports/${ids[0]}${path}`, body, at_bolt))]).toEqual([
        ...[path, "resource_missing"],
      ]);
    }
    expect(codeOf(await as(both, "POST", `/imports/${ids[1]}/cancel`, {}, at_bolt))).toBe(200);
    // Someone whose role may not import such records sees none of them.
    const viewer = await memberOf(acme, "viewer");
    expect(codeOf(await as(viewer, "GET", `/imports/${ids[0]}`))).toBe("insufficient_permission");
  });

  test("of both the operator and a merchant acts as either, and the operator's header narrows requests", async () => {
    const both = await memberOf(acme, "viewer");
    const joined = await join(both, null, "office");
    // The session keeps its membership.
    expect(joined).toMatchObject({ role: "office", current: { merchant_id: acme } });
    expect(codeOf(await as(both, "GET", "/merchants"))).toBe("not_for_merchants");
    const at_house = await as(both, "POST", "/users/me/membership", { merchant: null });
    expect(at_house.body.data).toMatchObject({ current: { covers: "operator", role: "office" }, merchant: null });
    const [of_acme, of_bolt] = [await product(acme), await product(bolt)];
    const all = await skus(both);
    expect([all.includes(of_acme), all.includes(of_bolt)]).toEqual([true, true]);
    expect((await skus(both, { "packhouse-merchant": "BOLT" })).includes(of_acme)).toBe(false);
    expect(codeOf(await as(both, "GET", "/merchants", undefined, { "packhouse-merchant": "ACME" }))).toBe(200);
  });
});

describe("viewing as a merchant", () => {
  test("shows what its users see, changes nothing, and is in the audit log from start to end", async () => {
    const staff = await signedInAs(shop.app.service, "office");
    const [of_acme, of_bolt] = [await product(acme), await product(bolt)];
    const begun = await as(staff, "POST", "/users/me/view_as", { merchant_id: "ACME" });
    expect(begun.body.data).toMatchObject({
      current: { covers: "operator" },
      merchant: { id: acme },
      view_as: { id: acme },
    });
    const seen = await skus(staff);
    expect([seen.includes(of_acme), seen.includes(of_bolt)]).toEqual([true, false]);
    const refused = [
      await as(staff, "POST", "/products", { sku: "NEVER", name: "Tea" }),
      await as(staff, "PATCH", "/users/me", { name: "Other" }),
      await as(staff, "POST", "/users/me/view_as", { merchant_id: bolt }),
    ];
    expect(refused.map(codeOf)).toEqual(["view_only", "view_only", "view_only"]);
    expect(refused[0]?.body.error.message).toContain("ACME");
    expect([codeOf(await as(staff, "GET", "/merchants")), (await skus(staff)).includes("NEVER")]).toEqual([
      ...["not_for_merchants", false],
    ]);
    const session = await as(staff, "GET", "/dashboard/api/session");
    expect(session.body.permissions.filter((word: string) => !word.endsWith(".read"))).toEqual([]);
    const ended = await as(staff, "DELETE", "/users/me/view_as");
    expect(ended.body.data).toMatchObject({ merchant: null, view_as: null });
    expect((await skus(staff)).includes(of_bolt)).toBe(true);
    expect(codeOf(await as(staff, "DELETE", "/users/me/view_as"))).toBe("resource_missing");
    const [first] = await trail(staff.id, "beginViewAs");
    expect([first.facts.merchant_id, (await trail(staff.id, "endViewAs")).length]).toEqual(["ACME", 1]);
  });

  test("is only for the operator, and for an existing merchant", async () => {
    const owner = await memberOf(acme, "owner");
    expect(codeOf(await as(owner, "POST", "/users/me/view_as", { merchant_id: acme }))).toBe("not_for_merchants");
    expect(codeOf(await as(house, "POST", "/users/me/view_as", { merchant_id: "NONE" }))).toBe("validation_failed");
  });
});

describe("users", () => {
  test("are visible to a merchant's users only at their own merchant, and changed there", async () => {
    const owner = await memberOf(acme, "owner");
    const [mate, stranger] = [await memberOf(acme, "office"), await memberOf(bolt, "office")];
    await join(mate, bolt, "viewer");
    const listed: { id: string; memberships: object[] }[] = (await as(owner, "GET", "/users?limit=100")).body.data;
    const ids = listed.map(({ id }) => id);
    expect([ids.includes(mate.id), ids.includes(stranger.id), ids.includes(house.id)]).toEqual([true, false, false]);
    expect(listed.find(({ id }) => id === mate.id)?.memberships).toMatchObject([{ merchant_id: acme, role: "office" }]);
    const unknown = (id: string) => as(owner, "PATCH", `/users/${id}`, { role: "viewer" });
    for (const id of [stranger.id, house.id, "usr_999999"]) {
      expect([id, codeOf(await unknown(id)), codeOf(await as(owner, "GET", `/users/${id}`))]).toEqual([
        ...[id, "resource_missing", "resource_missing"],
      ]);
    }
    const renamed = await as(owner, "PATCH", `/users/${mate.id}`, { name: "Else" });
    expect(codeOf(renamed)).toBe("insufficient_permission");
    const { body } = await as(owner, "PATCH", `/users/${mate.id}`, { role: "manager" });
    expect(body.data).toMatchObject({ role: "manager", memberships: [{ merchant_id: acme, role: "manager" }] });
    const whole = (await as(house, "GET", `/users/${mate.id}`)).body.data;
    expect(whole.memberships).toMatchObject([{ role: "manager" }, { merchant_id: bolt, role: "viewer" }]);
    expect(codeOf(await as(owner, "PATCH", `/users/${mate.id}`, { role: "floor" }))).toBe("validation_failed");
    expect(codeOf(await as(mate, "PATCH", `/users/${owner.id}`, { role: "viewer" }))).toBe("insufficient_permission");
  });

  test("disabled at one merchant continue at the other, and cannot sign in without any membership", async () => {
    const owner = await memberOf(acme, "owner");
    const both = await personWithPassword(shop.app.service, "viewer", password, fresh("Two"));
    await join(both, acme, "office");
    await as(both, "POST", "/users/me/membership", { merchant: "ACME" });
    const disabled = await as(owner, "PATCH", `/users/${both.id}`, { status: "disabled" });
    expect(disabled.body.data.status).toBe("disabled");
    expect(
      (await as(owner, "GET", "/users?status=disabled&limit=100")).body.data.map(({ id }: Person) => id),
    ).toContain(both.id);
    expect(codeOf(await as(both, "GET", "/users/me"))).toBe("authentication_required");
    const again = await signIn(both.email);
    expect([again.status, again.body.merchant, (await as(house, "GET", `/users/${both.id}`)).body.data.status]).toEqual(
      [...[200, null, "active"]],
    );
    const who = cookieOf(again);
    expect(codeOf(await as(who, "POST", "/users/me/membership", { merchant: "ACME" }))).toBe("validation_failed");
    await as(house, "PATCH", `/users/${both.id}`, { status: "disabled", merchant_id: null });
    expect([codeOf(await as(who, "GET", "/users/me")), codeOf(await signIn(both.email))]).toEqual([
      ...["authentication_required", "invalid_credentials"],
    ]);
  });

  test("the operator changes the membership that the request names, and keeps an owner", async () => {
    const mate = await memberOf(acme, "office");
    await join(mate, null, "viewer");
    const change = async (body: object, more = {}) =>
      (await as(house, "PATCH", `/users/${mate.id}`, body, more)).body.data.memberships.map(
        ({ role }: { role: Role }) => role,
      );
    expect(await change({ role: "office" })).toEqual(["office", "office"]);
    expect(await change({ role: "owner", merchant_id: "ACME" })).toEqual(["owner"]);
    expect(await change({ role: "manager" }, { "packhouse-merchant": acme })).toEqual(["manager"]);
    expect(codeOf(await as(house, "PATCH", `/users/${mate.id}`, { role: "viewer", merchant_id: bolt }))).toBe(
      "resource_missing",
    );
    // An owner of a merchant is not an owner of the operator.
    expect(codeOf(await as(house, "PATCH", `/users/${house.id}`, { role: "viewer" }))).toBe("last_owner");
  });
});

describe("invitations", () => {
  test("add a member to the merchant, by the operator or by the merchant", async () => {
    const owner = await memberOf(acme, "owner");
    for (const [inviter, named] of [
      [house, { merchant_id: "ACME" }],
      [owner, {}],
    ] as const) {
      const email = address();
      const { body } = await as(inviter, "POST", "/invitations", { email, role: "office", ...named });
      expect(body.data).toMatchObject({
        merchant_id: acme,
        merchant: { code: "ACME" },
        memberships: [{ role: "office" }],
      });
      // A merchant's own invitation cannot create an account until the operator has resent it.
      const { link } =
        inviter === house ? body.data : (await as(house, "POST", `/invitations/${body.data.id}/resend`)).body.data;
      const looked = (await open("look", { token: tokenIn({ link }) })).body;
      expect(looked).toMatchObject({ merchant: { code: "ACME" }, existing_user: false });
      const accepted = await open("accept", { token: tokenIn({ link }), name: "Gil", password });
      expect([accepted.status, accepted.body.user.role, accepted.body.merchant.id]).toEqual([201, "office", acme]);
      expect((await me(cookieOf(accepted))).memberships).toMatchObject([{ merchant_id: acme }]);
    }
  });

  test("of others can be neither seen, changed nor sent by a merchant's users", async () => {
    const owner = await memberOf(acme, "owner");
    const invited = async (merchant_id: string | null) =>
      (await as(house, "POST", "/invitations", { email: address(), role: "office", merchant_id })).body.data.id;
    const [own, other, of_house] = [await invited(acme), await invited(bolt), await invited(null)];
    const seen = (await as(owner, "GET", "/invitations?limit=100")).body.data.map(({ id }: Person) => id);
    expect([own, other, of_house].map((id) => seen.includes(id))).toEqual([true, false, false]);
    for (const id of [other, of_house]) {
      expect(codeOf(await as(owner, "GET", `/invitations/${id}`))).toBe("resource_missing");
      expect(codeOf(await as(owner, "POST", `/invitations/${id}/revoke`, {}))).toBe("resource_missing");
    }
    const ask = (body: object) => as(owner, "POST", "/invitations", { email: address(), role: "office", ...body });
    expect([codeOf(await ask({ merchant_id: bolt })), codeOf(await ask({ role: "floor" }))]).toEqual([
      ...["validation_failed", "validation_failed"],
    ]);
    const to_null = await ask({ merchant_id: null });
    expect(to_null.body.data.merchant_id).toBe(acme);
    expect(
      codeOf(await as(await memberOf(acme, "office"), "POST", "/invitations", { email: address(), role: "viewer" })),
    ).toBe("insufficient_permission");
  });

  test("of an existing user can only be accepted by that user, signed in", async () => {
    const user = await memberOf(bolt, "viewer");
    const ask = () => as(house, "POST", "/invitations", { email: user.email, role: "office", merchant_id: acme });
    const { body } = await ask();
    expect(codeOf(await ask())).toBe("duplicate_email");
    const token = tokenIn(body.data);
    expect((await open("look", { token })).body.existing_user).toBe(true);
    expect(codeOf(await open("accept", { token, name: "Gil", password }))).toBe("duplicate_email");
    const other = await memberOf(bolt, "viewer");
    expect(codeOf(await as(other, "POST", "/users/me/memberships", { token }))).toBe("insufficient_permission");
    const joined = await as(user, "POST", "/users/me/memberships", { token });
    expect(joined.body.data.memberships).toMatchObject([{ merchant_id: acme }, { merchant_id: bolt }]);
    expect(codeOf(await as(user, "POST", "/users/me/memberships", { token }))).toBe("invalid_link");
    expect(codeOf(await ask())).toBe("duplicate_email");
  });

  test("are revoked when the inviter may no longer invite, at that merchant", async () => {
    const owner = await memberOf(acme, "owner");
    const boss = await memberOf(acme, "owner");
    const { body } = await as(owner, "POST", "/invitations", { email: address(), role: "viewer" });
    await as(boss, "PATCH", `/users/${owner.id}`, { role: "office" });
    expect(codeOf(await open("accept", { token: tokenIn(body.data), name: "Gil", password }))).toBe("invalid_link");
  });
});

describe("roles", () => {
  test("show their description at a merchant, and a merchant's users see only those", async () => {
    const all: { name: Role; merchant: { permissions: { name: string }[] } | null }[] = (await shop.app.get("/roles"))
      .body.data;
    expect(all.filter(({ merchant }) => merchant === null).map(({ name }) => name)).toEqual(["lead", "floor"]);
    const owner = all.find(({ name }) => name === "owner")?.merchant?.permissions.map(({ name }) => name) ?? [];
    expect([owner.includes("users.manage"), owner.includes("orders.fulfill")]).toEqual([true, false]);
    const own = (await as(await memberOf(acme, "viewer"), "GET", "/roles")).body.data;
    expect(own.map(({ name }: { name: Role }) => name)).toEqual(["owner", "manager", "office", "viewer"]);
    expect(own[0].permissions.map(({ name }: { name: string }) => name)).toEqual(owner);
  });
});

describe("the users of a merchant that is", () => {
  test("suspended can read and create orders only", async () => {
    const slow = await merchantOf(fresh("SLOW-"));
    const sku = await product(slow);
    const office = await memberOf(slow, "office");
    const [{ id }] = (await as(office, "GET", "/products")).body.data;
    const { email, first_name, last_name, shipping_addresses } = shop.customer;
    const [{ id: _id, ...place }] = shipping_addresses;
    const made_for = { email, first_name, last_name, shipping_addresses: [place] };
    const customer = (await as(office, "POST", "/customers", made_for)).body;
    const order = {
      order_number: fresh("N-"),
      customer_id: customer.id,
      shipping_address_id: customer.shipping_addresses[0].id,
      line_items: [{ sku, quantity: 1, unit_price: "1.00" }],
    };
    const before = (await upload(office, "products")).body.data.id;
    expect((await shop.app.post(`/merchants/${slow}/suspend`)).status).toBe(200);
    expect((await me(office)).merchant.status).toBe("suspended");
    expect([
      (await skus(office)).length,
      codeOf(await as(office, "PATCH", `/products/${id}`, { name: "Jam" })),
      codeOf(await as(office, "POST", "/orders", order)),
      codeOf(await as(office, "PATCH", "/users/me", { name: "Still Me" })),
    ]).toEqual([1, "merchant_suspended", 201, 200]);
    // Imports create orders, too, in one request and in steps.
    const csv = { "content-type": "text/csv" };
    const sent = await upload(office, "orders");
    const columns = "order_number,customer_email,sku,quantity,unit_price\n";
    expect([
      codeOf(await as(office, "POST", "/orders/import", columns, csv)),
      codeOf(await as(office, "POST", "/products/import", "sku,name\n", csv)),
      codeOf(sent),
      codeOf(await as(office, "POST", `/imports/${sent.body.data.id}/cancel`, {})),
      codeOf(await upload(office, "products")),
      codeOf(await as(office, "POST", `/imports/${before}/cancel`, {})),
      codeOf(await as(office, "GET", `/imports/${before}`)),
    ]).toEqual([200, "merchant_suspended", 201, 200, "merchant_suspended", "merchant_suspended", 200]);
    expect((await shop.app.post(`/merchants/${slow}/reactivate`)).status).toBe(200);
    expect(codeOf(await as(office, "PATCH", `/products/${id}`, { name: "Jam" }))).toBe(200);
  });

  test("closed cannot sign in, except with another membership", async () => {
    const gone = await merchantOf(fresh("GONE-"));
    const people = [1, 2].map(() =>
      personWithPassword(shop.app.service, "office", password, fresh("Gone "), readId("merchant", gone)),
    );
    const [only, both] = (await Promise.all(people)) as [Person, Person];
    await join(both, acme, "viewer");
    expect((await shop.app.post(`/merchants/${gone}/close`)).status).toBe(200);
    expect([codeOf(await as(only, "GET", "/orders")), codeOf(await as(both, "GET", "/orders"))]).toEqual([
      ...["authentication_required", "authentication_required"],
    ]);
    const refused = await signIn(only.email);
    expect([codeOf(refused), refused.body.error.message]).toEqual([
      ...["merchant_closed", expect.stringContaining("is closed. Its users can no longer sign in")],
    ]);
    expect((await signIn(both.email)).body.merchant.id).toBe(acme);
  });
});
