// Records a tab's requests, responses and hints, and prints them when it did not reach the state a test waits for.
import type { CDPSession, Locator, Page } from "playwright-core";

const lines_max = 30;

/** Records what a page does. Returns a function for the last lines, and the debugger session. */
async function diaryOf(page: Page): Promise<{ told: () => string; session: CDPSession }> {
  const lines: string[] = [];
  const begun_at = performance.now();
  const since = () => `${((performance.now() - begun_at) / 1000).toFixed(2).padStart(7)} s`;
  const note = (what: string, url = "") => {
    lines.push(`${since()}  ${what}${url.replace(/^https?:\/\/[^/]+/, "")}`);
    if (lines.length > lines_max) lines.shift();
  };
  const isRead = (url: string) => /\/v1\/|\/dashboard\/api\//.test(url);
  page.on("framenavigated", (frame) => note("is at ", frame.url()));
  page.on("request", (one) => isRead(one.url()) && note(`asks ${one.method()} `, one.url()));
  page.on("response", (one) => isRead(one.url()) && note(`gets ${one.status()} of `, one.url()));
  page.on("requestfailed", (one) => note(`loses (${one.failure()?.errorText}) `, one.url()));
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.eventSourceMessageReceived", ({ eventName, data }) => note(`hears ${eventName} ${data}`));
  return { told: () => [...lines, `${since()}  now`].join("\n"), session };
}

/** The same page or locator, whose acts print `told` when they fail. */
function telling<Thing extends Page | Locator>(thing: Thing, told: () => string): Thing {
  return new Proxy(thing, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        const result = value.apply(target, given);
        if (result instanceof Promise) return result.catch(print);
        return name === "locator" ? telling(result as Locator, told) : result;
      };
    },
  });
  function print(error: unknown): never {
    console.error(told());
    throw error;
  }
}

/** The same page, which prints what it did last when an action of a test fails. */
export async function withDiary(page: Page): Promise<{ page: Page; session: CDPSession }> {
  const { told, session } = await diaryOf(page);
  return { page: telling(page, told), session };
}
