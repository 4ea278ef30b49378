// Saved views of the order list, and the counts on their tabs.
import { describe, expect, test } from "bun:test";
import { readId } from "../../../src/core/ids.ts";
import type { Role } from "../../../src/identity/users/roles.ts";
import { codeOf, openShop, portland } from "../../build/shop.ts";
import { type Person, signedInAs } from "../../identity/people.ts";

const shop = await openShop();
const { service } = shop.app;
const merchantOf = async (code: string): Promise<string> =>
  (await shop.app.post("/merchants", { code, name: code, color: "#1f6feb" })).body.data.id;
const [acme, bolt] = [await merchantOf("ACME"), await merchantOf("BOLT")];
const memberOf = (merchant: string, role: Role = "office") =>
  signedInAs(service, role, undefined, readId("merchant", merchant));

let made = 0;
const staff = (role: Role, name: string) => {
  made += 1;
  return signedInAs(service, role, `${name} ${made}`);
};
/** A buyer of a merchant, in the fields of an order. */
const buyerOf = async (merchant_id: string) => {
  made += 1;
  const buyer = { email: `buyer.${made}@example.com`, shipping_addresses: [portland], merchant_id };
  const { body } = await shop.app.post("/customers", buyer);
  return { merchant_id, customer_id: body.id, shipping_address_id: body.shipping_addresses[0].id };
};
const call = (who: Person, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  shop.app.call(method, `/dashboard/api${path}`, body, { key: null, headers: { ...who.headers, ...headers } });
const save = async (who: Person, name: string, more: object = {}) =>
  (await call(who, "POST", "/views", { list: "orders", name, params: { status: "on_hold" }, ...more })).body.data;
const names = async (who: Person, headers = {}): Promise<string[]> =>
  (await call(who, "GET", "/views?list=orders", undefined, headers)).body.data.map(
    ({ name }: { name: string }) => name,
  );

describe("saved views", () => {
  test("are shown to their user and, if shared, to the others of the operator or of the same merchant", async () => {
    const [ann, ben] = [await staff("office", "Ann"), await staff("office", "Ben")];
    const [amy, abe, bob] = [await memberOf(acme), await memberOf(acme), await memberOf(bolt)];
    await save(ann, "Ann only");
    const shared = await save(ann, "All of us", { shared: true });
    await save(amy, "Amy only");
    await save(amy, "All of Acme", { shared: true });
    expect(await names(ann)).toEqual(["Ann only", "All of us"]);
    expect(await names(ben)).toEqual(["All of us"]);
    expect(await names(amy)).toEqual(["Amy only", "All of Acme"]);
    expect(await names(abe)).toEqual(["All of Acme"]);
    expect(await names(bob)).toEqual([]);
    // The merchant that the operator's user filters by makes no difference, but one who views as it sees its views.
    expect(await names(ben, { "packhouse-merchant": "ACME" })).toEqual(["All of us"]);
    const owner = await staff("owner", "Olive");
    await shop.app.call("POST", "/users/me/view_as", { merchant_id: acme }, { key: null, headers: owner.headers });
    expect(await names(owner)).toEqual(["All of Acme"]);
    expect(codeOf(await call(owner, "POST", "/views", { list: "orders", name: "x", params: {} }))).toBe("view_only");
    const [seen] = (await call(ben, "GET", "/views?list=orders")).body.data;
    expect(seen).toEqual({ ...shared, own: false, editable: false, saved_by: expect.stringMatching(/^Ann/) });
  });

  test("are changed and deleted by their user only; shared ones also by those who manage users", async () => {
    const [ann, ben] = [await staff("office", "Ann"), await staff("office", "Ben")];
    const owner = await staff("owner", "Olive");
    const [amy, lord] = [await memberOf(acme), await memberOf(bolt, "owner")];
    const [own, shared] = [await save(ann, "Own"), await save(ann, "Ours", { shared: true })];
    const remove = async (who: Person, { id }: { id: string }) => codeOf(await call(who, "DELETE", `/views/${id}`));
    expect([await remove(ben, own), await remove(owner, own), await remove(amy, own)]).toEqual(
      Array.from({ length: 3 }, () => "resource_missing"),
    );
    expect([await remove(ben, shared), await remove(lord, shared)]).toEqual([
      ...["insufficient_permission", "resource_missing"],
    ]);
    const patch = (who: Person, body: unknown, headers = {}) =>
      call(who, "PATCH", `/views/${shared.id}`, body, headers);
    expect(codeOf(await patch(ben, { name: "Mine" }))).toBe("insufficient_permission");
    expect((await patch(owner, { name: "Hers", position: 1 })).body.data).toMatchObject({ name: "Hers", revision: 2 });
    expect(codeOf(await patch(ann, { name: "x" }, { "if-match": '"1"' }))).toBe("precondition_failed");
    expect(codeOf(await patch(ann, { name: "Own" }))).toBe("validation_failed");
    expect((await names(ann)).slice(0, 2)).toEqual(["Hers", "Own"]);
    // The owner who stops sharing it no longer sees it.
    expect((await patch(owner, { shared: false }, { "if-match": '"2"' })).status).toBe(200);
    expect(codeOf(await patch(owner, { shared: true }))).toBe("resource_missing");
    expect([await remove(ann, shared), await remove(ann, own)]).toEqual([200, 200]);
    expect(await remove(ann, own)).toBe("resource_missing");
  });

  test("keep the order of their user, whose own come first", async () => {
    const [ann, ben] = [await staff("office", "Ann"), await staff("office", "Ben")];
    const [one, two, three] = [await save(ann, "1"), await save(ann, "2"), await save(ann, "3", { shared: true })];
    await save(ben, "Ben's", { shared: true });
    const own = async () => (await names(ann)).slice(0, 3);
    const move = async ({ id }: { id: string }, position: number) =>
      (await call(ann, "PATCH", `/views/${id}`, { position })).body.data?.position;
    expect(await move(three, 1)).toBe(1);
    expect(await own()).toEqual(["3", "1", "2"]);
    expect(await move(one, 50)).toBe(3);
    expect(await own()).toEqual(["3", "2", "1"]);
    expect(await move(two, 2)).toBe(2);
    // One that is deleted is saved again in its place.
    await call(ann, "DELETE", `/views/${three.id}`);
    expect(await save(ann, "3", { shared: true, position: 1 })).toMatchObject({ position: 1, own: true });
    expect(await own()).toEqual(["3", "2", "1"]);
    expect(await save(ann, "1", { position: 2 })).toMatchObject({ position: 2 });
    expect(await own()).toEqual(["3", "1", "2"]);
    expect((await names(ann)).slice(3)).toContain("Ben's");
    const theirs = await names(ben);
    expect([theirs[0], theirs.slice(1)]).toEqual(["Ben's", expect.arrayContaining(["3"])]);
    for (const position of [0, 51, 1.5])
      expect(codeOf(await call(ann, "PATCH", `/views/${one.id}`, { position }))).toBe("validation_failed");
  });

  test("of a name are saved once, also by requests at the same time, and are at most 50", async () => {
    const ann = await staff("office", "Ann");
    const several = ["1", "2", "3"].map((q) => save(ann, "Twice", { params: { q } }));
    const ids = (await Promise.all(several)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    expect((await names(ann)).filter((name) => name === "Twice")).toEqual(["Twice"]);
    for (let at = 1; at < 50; at += 1) await save(ann, `View ${at}`);
    const more = await call(ann, "POST", "/views", { list: "orders", name: "More", params: {} });
    expect(codeOf(more)).toBe("validation_failed");
    expect((await save(ann, "Twice", { params: { q: "4" } })).params).toEqual({ q: "4" });
  });

  test("have texts as parameters, and no others", async () => {
    const ann = await staff("office", "Ann");
    const wrong = [{ params: { q: 1 } }, { params: { "a b": "x" } }, { params: [] }, { list: "ships" }, { name: "" }];
    for (const one of wrong) {
      const body = { list: "orders", name: "Wrong", params: {}, ...one };
      expect([one, codeOf(await call(ann, "POST", "/views", body))]).toEqual([one, "validation_failed"]);
    }
    expect(await names(ann)).not.toContain("Wrong");
  });
});

describe("the counts of views", () => {
  const counts = async (who: Person, views: unknown, headers = {}) => {
    const of = encodeURIComponent(typeof views === "string" ? views : JSON.stringify(views));
    return call(who, "GET", `/view_counts?views=${of}`, undefined, headers);
  };

  test("are the totals of the list, for the same user, merchant and environment", async () => {
    const [ann, amy] = [await staff("office", "Ann"), await memberOf(acme)];
    const goods = await shop.product({ units: 9, merchant_id: acme });
    const others = await shop.product({ units: 2, merchant_id: bolt });
    const one = await shop.order([[goods, 1]], await buyerOf(acme));
    await shop.order([[goods, 3]], await buyerOf(acme));
    await shop.order([[others, 5]], await buyerOf(bolt));
    await shop.act(one.id, "hold", { reason: "fraud" });
    const views = [
      ...[{}, { status: "on_hold" }, { status: "pending", short: "false" }, { short: "true" }, { one_unit: "true" }],
      ...[{ late: "true", sort: "created_at" }, { q: one.order_number }, { labeled: "true", printed: "false" }],
      { hold_reason: "fraud", status: "on_hold,pending" },
      { late: "false" },
      { late: "false", status: "pending" },
      ...["ground", "express"].flatMap((service) => [{ service }, { service, status: "pending" }]),
      ...["rush", "gift"].map((tag) => ({ tag })),
      ...[{ printed: "false" }, { printed: "true" }, { labeled: "false" }],
    ];
    expect(views).toHaveLength(20);
    for (const [who, headers] of [
      [ann, {}],
      [amy, {}],
      [ann, { "packhouse-merchant": "BOLT" }],
      [ann, { "packhouse-mode": "test" }],
    ] as const) {
      const totals: number[] = [];
      for (const params of views) {
        const path = `/orders?limit=1&${new URLSearchParams(params as Record<string, string>)}`;
        const page = await shop.app.call("GET", path, undefined, {
          key: null,
          headers: { ...who.headers, ...headers },
        });
        totals.push(page.body.meta.pagination.total);
      }
      expect((await counts(who, views, headers)).body.data).toEqual(totals);
    }
    expect((await counts(amy, views)).body.data.slice(0, 5)).toEqual([2, 1, 1, 0, 1]);
  });

  test("are null for parameters that the list does not have, and refuse anything but views", async () => {
    const ann = await staff("office", "Ann");
    const { body } = await counts(ann, [{ never: "heard" }, { status: "lost" }, {}]);
    expect(body.data).toEqual([null, null, expect.any(Number)]);
    for (const wrong of ["no", {}, [1], Array.from({ length: 21 }, () => ({}))]) {
      expect(codeOf(await counts(ann, wrong))).toBe("validation_failed");
    }
  });
});
