// Runs a story on a fresh service: each request is an operation of the reference, and is recorded as its example.

import type { Environment } from "../../../../src/core/environment.ts";
import { operationsOf } from "../../../../src/server/openapi/description.ts";
import type { Example } from "../../../../src/server/openapi/operation.ts";
import { firstId } from "../../../../src/storage/migrations/migrate.ts";
import type { TestApp } from "../../../build/service.ts";

/** The input of an operation. Its secret parts are not shown in the example. */
export interface Telling {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The text of a key. By default the one with full access in the story's environment. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response: JSON that the story continues from. */
// biome-ignore lint/suspicious/noExplicitAny: a story reads responses of any shape.
type Said = any;

export interface Teller {
  readonly app: TestApp;
  /** The environment of the story. */
  readonly mode: Environment;
  /** The warehouse that every environment starts with. */
  readonly warehouse_id: string;
  /** Sends a request of an operation, expects success, and records the first of each operation as its example. */
  readonly tell: (operation: string, telling?: Telling) => Promise<Said>;
  /** Like `tell`, without recording: for steps that only have to happen. */
  readonly act: (operation: string, telling?: Telling) => Promise<Said>;
  /** Sends a request that is refused with this code, and records the response as the example of the code. */
  readonly refuse: (code: string, operation: string, telling: Telling) => Promise<void>;
  readonly examples: Record<string, Example>;
  readonly refusals: Record<string, unknown>;
}

/** Starts a story without any examples. */
export function openStory(app: TestApp, mode: Environment): Teller {
  const operations = new Map(operationsOf(app.app.routes).map((operation) => [operation.id, operation]));
  const examples: Record<string, Example> = {};
  const refusals: Record<string, unknown> = {};

  async function ask(id: string, telling: Telling = {}): Promise<Said> {
    const operation = operations.get(id);
    if (operation === undefined) throw new Error(`the story tells of ${id}, which is no operation`);
    const { path: values = {}, query = {}, body, key = app.keys[mode].full, headers = {} } = telling;
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
    const search = Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query)}`;
    const sent = {
      ...(typeof body === "string" || body instanceof Uint8Array ? { "content-type": operation.sends } : {}),
      ...headers,
    };
    const method = operation.method.toUpperCase();
    const { status, body: answer } = await app.call(method, `${path}${search}`, body, { key, headers: sent });
    return { status, answer };
  }

  async function act(id: string, telling?: Telling): Promise<Said> {
    const { status, answer } = await ask(id, telling);
    if (status >= 300) throw new Error(`${id}: ${status} ${JSON.stringify(answer)}`);
    return { status, answer };
  }

  async function refuse(code: string, id: string, telling: Telling): Promise<void> {
    const { answer } = await ask(id, telling);
    if (answer.error?.code !== code) throw new Error(`${id} is not refused with ${code}: ${JSON.stringify(answer)}`);
    refusals[code] = neutral(answer);
  }

  async function tell(id: string, telling: Telling = {}): Promise<Said> {
    const { status, answer } = await act(id, telling);
    if (!(id in examples)) {
      const { path, query, body } = telling;
      const asked = { ...(path && { path }), ...(query && { query }), ...(isShown(body) ? { body } : {}) };
      examples[id] = neutral({ ...asked, status, answer: shownOf(answer) });
    }
    return answer;
  }

  const warehouse_id = `whs_${firstId[mode]}`;
  return {
    app,
    mode,
    warehouse_id,
    tell,
    act: async (id, telling) => (await act(id, telling)).answer,
    refuse,
    examples,
    refusals,
  };
}

/** Whether an example shows a body: not the bytes of a file. */
const isShown = (body: unknown) => body !== undefined && !(body instanceof Uint8Array);

const shown_characters_max = 5000;

/** The response as shown: long lists are shortened, and files and metrics are omitted. */
function shownOf(answer: Said): unknown {
  if (typeof answer === "string") return /^%PDF|^\x89PNG|^# HELP|\ufffd/.test(answer) ? null : answer;
  if ("openapi" in answer) return { openapi: answer.openapi, info: answer.info };
  if (Array.isArray(answer.data?.places))
    return { ...answer, data: { ...answer.data, places: answer.data.places.slice(0, 3) } };
  if (!Array.isArray(answer.data)) return answer;
  const data = [...answer.data];
  while (data.length > 1 && JSON.stringify(data).length > shown_characters_max) data.pop();
  return { ...answer, data };
}

// Values that differ each time, and their replacements. Each replacement has the same format as the original.
const always: readonly (readonly [RegExp, string])[] = [
  [/\breq_[0-9a-f]{32}\b/g, "req_019c1e2f4b7a7c3d9e5f60718293a4b5"],
  [/\bevt_test_[0-9a-f]{32}\b/g, "evt_test_019c1e2f4b7a7c3d9e5f60718293a4b5"],
  [/\bevt_[0-9a-f]{32}\b/g, "evt_019c1e2f4b7a7c3d9e5f60718293a4b5"],
  [/\bown_[0-9a-f]{32}\b/g, "own_019c1e2f4b7a7c3d9e5f60718293a4b5"],
  [/\bwhsec_[A-Za-z0-9+/]{43}=/g, "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="],
  [/\bph_(live|test)_[0-9A-Za-z]{36}\b/g, "ph_test_0000000000000000000000000000002jKTnv"],
  [/\b(live|test)_[0-9a-f]{32}\b/g, "$1_019c1e2f4b7a7c3d9e5f60718293a4b5"],
  [/("client_secret":")[^"]+"/g, '$1shpss_0123456789abcdef"'],
  [/("api_key":")EZAK[^"]+"/g, '$1EZAK0123456789abcdef"'],
  [/("callback_secret":")[^"]+"/g, '$1AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"'],
  [/\bquo_[0-9a-f]{32}_/g, "quo_019c1e2f4b7a7c3d9e5f60718293a4b5_"],
  [/("client_secret_last_four":")[^"]+"/g, '$1cdef"'],
  [/("secret":")[A-Z2-7]{32}"/g, '$1JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"'],
  [/(secret=)[A-Z2-7]{32}/g, "$1JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"],
  [/("(?:link_qr|barcode)_svg":")(?:[^"\\]|\\.)+"/g, `$1<svg xmlns='http://www.w3.org/2000/svg'/>"`],
  [/\bPHB\d{20}\b/g, "PHB01234567890123456789"],
  [/("qr_svg":")(?:[^"\\]|\\.)+"/g, `$1<svg xmlns='http://www.w3.org/2000/svg'/>"`],
  [/("code":")\d{6}"/g, '$1123456"'],
  [/"[0-9a-z]{4}(?:-[0-9a-z]{4}){3}"/g, '"k7m2-9xqd-4hvt-8wpa"'],
  [/(\/dashboard\/\w+#)[\w-]{43}/g, "$1AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"],
  [/("token":")[\w-]{43}"/g, '$1AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"'],
  [/("last_four":")[0-9A-Za-z]{4}"/g, '$1KTnv"'],
  [/(signature=)[A-Za-z0-9_-]+/g, "$1AAECAwQFBgcICQoLDA0ODw"],
  [/("signature":")[A-Za-z0-9_-]+"/g, '$1AAECAwQFBgcICQoLDA0ODw"'],
  [/(v1,)[A-Za-z0-9+/]{43}=/g, "$1AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="],
  [/"[0-9a-f]{64}"/g, `"${"0".repeat(64)}"`],
  [/("webhook-timestamp":")\d+"/g, '$11767323845"'],
  [/("duration_ms":)\d+/g, "$112"],
  [/("created_at":)\d{10}\b/g, "$11767323045"],
  [/("date":")[^"]+ GMT"/g, '$1Fri, 02 Jan 2026 03:04:05 GMT"'],
  [/("migrations":)\d+/g, "$120"],
  [/("engine":")postgres"/g, '$1sqlite"'],
  [/("room":")\w+"/g, '$1ok"'],
  [/("next_cursor":")[^"]+"/g, '$1WzE3NjczMjM4NDUwMDAsMTAwMSwiYSJd.c2lnbmF0dXJlb2ZpdA"'],
  [/(http:\/\/localhost:)\d+/g, "$18080"],
  [/http:\/\/packhouse\.test/g, "http://localhost:3000"],
];

function neutral<Shown>(example: Shown): Shown {
  let text = JSON.stringify(example);
  for (const [form, instead] of always) text = text.replace(form, instead);
  return JSON.parse(text) as Shown;
}
