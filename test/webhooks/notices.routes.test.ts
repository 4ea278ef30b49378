import { describe, expect, test } from "bun:test";
import { useScene } from "./scene.ts";

const scene = useScene();
const { ask, get, subscribe } = scene;

/** Causes subscriptions to be disabled, one after another, and returns their ids. */
async function disable(count: number): Promise<string[]> {
  const ids: string[] = [];
  scene.receiver.answerWith(() => 410);
  for (let n = 0; n < count; n += 1) {
    const { id } = await subscribe({ url: `${scene.receiver.url}/${n}` });
    await scene.tell([`ord_${n}`]);
    await scene.app.runJobs();
    scene.passed(1000);
    ids.push(id);
  }
  return ids;
}

describe("works", () => {
  test("notices are listed newest first, filtered, and paged by cursor", async () => {
    const [first, second] = await disable(2);
    const told = (await get("/notices")).data;
    expect(told).toMatchObject([
      { kind: "webhook_disabled", subscription_id: second, mail_status: "none", acknowledged_at: null },
      { kind: "webhook_disabled", subscription_id: first },
    ]);
    expect(told[1].message).toContain(`${first} (${scene.receiver.url}/0) was disabled because it returned 410`);
    expect((await get("/notices?kind=webhook_failing")).data).toEqual([]);
    expect((await get("/notices?kind=webhook_disabled&acknowledged=false")).data).toEqual(told);
    const page = await get("/notices?limit=1");
    expect([page.data, page.meta.pagination.total]).toEqual([told.slice(0, 1), 2]);
    expect((await get(`/notices?limit=1&cursor=${page.meta.pagination.next_cursor}`)).data).toEqual(told.slice(1));
  });

  test("a notice is acknowledged once, and then leaves the list of unacknowledged notices", async () => {
    await disable(2);
    const [newest, oldest] = (await get("/notices")).data;
    const acknowledged = await ask("POST", `/notices/${oldest.id}/acknowledge`);
    const acknowledged_at = new Date(scene.app.clocks.test.now()).toISOString();
    expect([acknowledged.status, acknowledged.body.data]).toEqual([200, { ...oldest, acknowledged_at }]);
    scene.passed(1000);
    expect((await ask("POST", `/notices/${oldest.id}/acknowledge`)).body.data).toEqual(acknowledged.body.data);
    expect((await get("/notices?acknowledged=false")).data).toEqual([newest]);
    expect((await get("/notices?acknowledged=true")).data).toEqual([acknowledged.body.data]);
  });
});

describe("refuses", () => {
  test("an unknown notice, and invalid filters", async () => {
    for (const id of ["ntc_1", "1", "whk_1", "junk"]) {
      expect((await ask("POST", `/notices/${id}/acknowledge`)).status).toBe(404);
    }
    for (const query of ["kind=order", "acknowledged=maybe", "seen=true"]) {
      expect((await ask("GET", `/notices?${query}`)).body.error.code).toBe("validation_failed");
    }
  });
});
