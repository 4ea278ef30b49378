/** A response other than 2xx, with the service's error. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(request: string, status: number, code: string, message: string) {
    super(`${request} returned ${status} ${code}: ${message}`);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
  }
}

/** A JSON object in a response. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * An HTTP client of the service with an API key. Paths are relative to `/v1`; responses are returned whole, as parsed
 * JSON.
 */
export interface Client {
  get(path: string): Promise<Json>;
  post(path: string, body: unknown): Promise<Json>;
  patch(path: string, body: unknown): Promise<Json>;
  /** All records of a paged list. */
  list(path: string): Promise<readonly Json[]>;
}

const tries_most = 30;

/**
 * A client of the service at `url`. It waits as 429 and 503 responses require, and throws `Refusal` for other errors.
 */
export function connect(url: string, key: string): Client {
  const base = `${url.replace(/\/+$/, "")}/v1`;
  const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(base + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
      if ((response.status !== 429 && response.status !== 503) || attempt === tries_most) {
        throw refusalOf(`${method} ${path}`, response.status, text);
      }
      // These errors occur before anything is done, so a retry is safe.
      await Bun.sleep(Number(response.headers.get("retry-after") ?? 1) * 1_000);
    }
  };
  const get = (path: string) => call("GET", path);
  return {
    get,
    post: (path, body) => call("POST", path, body),
    patch: (path, body) => call("PATCH", path, body),
    list: async (path) => {
      const records: Json[] = [];
      const joint = path.includes("?") ? "&" : "?";
      for (let cursor: unknown = ""; cursor !== null; ) {
        const page = await get(`${path}${joint}limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`);
        records.push(...(page["data"] as Json[]));
        cursor = ((page["meta"] as Json)["pagination"] as Json)["next_cursor"] ?? null;
      }
      return records;
    },
  };
}

function refusalOf(request: string, status: number, text: string): Refusal {
  try {
    const { code, message, details } = JSON.parse(text).error;
    const fields = Array.isArray(details) && details.length > 0 ? ` ${JSON.stringify(details)}` : "";
    return new Refusal(request, status, String(code), `${message}${fields}`);
  } catch {
    return new Refusal(request, status, "unreadable_answer", text.slice(0, 300));
  }
}

/** Runs `work` for each item, at most `width` at a time. Returns the results in the items' order. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
