// Files in a bucket of S3, or of a storage that speaks as S3 does. The operator names it, so that any address may be
// called. Bun's own client has no way to give an upload up: what was written until then would become the file.
import { AwsV4Signer } from "aws4fetch";
import { startRefused } from "../storage/start_refused.ts";

export interface BucketSettings {
  /** Where the storage answers, such as `https://s3.eu-central-1.amazonaws.com`, without a slash at the end. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
}

/** A file of a bucket. */
interface BucketFile {
  readonly key: string;
  readonly size_bytes: number;
}

/** An upload that has not been completed: nobody sees a file of it. */
interface BucketUpload {
  readonly key: string;
  readonly id: string;
  /** When it was begun, in milliseconds. */
  readonly begun_at: number;
}

interface BucketClient {
  /** The files whose keys begin with a text. */
  list(prefix: string): Promise<BucketFile[]>;
  /** The uploads that are under way, or were left. */
  listUploads(prefix: string): Promise<BucketUpload[]>;
  /** Begins a file that is sent in parts; answers the id of its upload. */
  begin(key: string): Promise<string>;
  /** Sends a part, from number 1 on, of 5 MiB at least but for the last. Answers its tag. */
  sendPart(key: string, id: string, number: number, bytes: Uint8Array): Promise<string>;
  /** Makes the file of its parts, by their tags. */
  complete(key: string, id: string, tags: readonly string[]): Promise<void>;
  /** Gives an upload up, and what was sent of it. */
  abort(key: string, id: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Makes a short file at once. */
  write(key: string, bytes: Uint8Array): Promise<void>;
  /** The content of a file, in pieces. */
  read(key: string): AsyncIterable<Uint8Array>;
}

const attempts_max = 4;
const first_pause_ms = 500;
const answer_within_ms = 120_000;
/** What a slow line takes each millisecond, 1 Mbit/s: so much longer may what is sent take. */
const slow_bytes_per_ms = 125;
const read_within_ms = 24 * 60 * 60 * 1000;

/** Opens a bucket. Nothing is asked yet. Refuses, at each call, a storage that does not answer or does not let us. */
export function openBucket(settings: BucketSettings): BucketClient {
  const ask = (method: string, key: string, query: BucketQuery = {}, body: Uint8Array | null = null) =>
    askPatiently(settings, { method, key, query, body });
  const textOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).text();
  return {
    list: (prefix) => listAll(prefix, (query) => textOf("GET", "", query)),
    listUploads: async (prefix) => {
      const text = await textOf("GET", "", { uploads: "", prefix });
      return elements(text, "Upload").map((upload) => ({
        key: element(upload, "Key"),
        id: element(upload, "UploadId"),
        begun_at: Date.parse(element(upload, "Initiated")),
      }));
    },
    begin: async (key) => element(await textOf("POST", key, { uploads: "" }), "UploadId"),
    sendPart: async (key, uploadId, number, bytes) => {
      const answer = await ask("PUT", key, { partNumber: String(number), uploadId }, bytes);
      return answer.headers.get("etag") ?? "";
    },
    complete: async (key, uploadId, tags) => {
      const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
      const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
      try {
        const text = await textOf("POST", key, { uploadId }, Buffer.from(body));
        // A failure may come after the head of the answer has said 200.
        if (text.includes("<Error>")) throw refusal(settings, 200, text);
      } catch (error) {
        // The answer to an attempt that was done may be lost: the upload is gone then, and the file is there.
        const found = await listAll(key, (query) => textOf("GET", "", query));
        if (!found.some((one) => one.key === key)) throw unreachable(settings, error);
      }
    },
    abort: async (key, uploadId) => void (await ask("DELETE", key, { uploadId })),
    remove: async (key) => void (await ask("DELETE", key)),
    write: async (key, bytes) => void (await ask("PUT", key, {}, bytes)),
    read: (key) => readAll(settings, key),
  };
}

/** The beginning of all keys in a folder of a bucket: requests name keys without empty parts, so lists must as well. */
export const folderKey = (prefix: string) =>
  prefix
    .split("/")
    .flatMap((part) => (part === "" ? [] : [`${part}/`]))
    .join("");

type BucketQuery = Readonly<Record<string, string>>;

interface BucketRequest {
  readonly method: string;
  readonly key: string;
  readonly query: BucketQuery;
  readonly body: Uint8Array | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Reads a file to its end: a download that breaks off goes on where it was, as long as the file is the same. */
async function* readAll(settings: BucketSettings, key: string): AsyncGenerator<Uint8Array> {
  let at = 0;
  let size: number | null = null;
  let tag: string | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const headers = at === 0 || tag === null ? {} : { range: `bytes=${at}-`, "if-match": tag };
    const asked = { method: "GET", key, query: {}, body: null, headers };
    const { body, status, headers: told } = await askPatiently(settings, asked, read_within_ms);
    tag ??= told.get("etag");
    size ??= Number(told.get("content-length") ?? Number.NaN);
    // One that knows no ranges, or no tags, sends it from its beginning.
    let known = status === 206 ? 0 : at;
    try {
      for await (const piece of (body ?? []) as unknown as AsyncIterable<Uint8Array>) {
        const fresh = piece.subarray(Math.min(known, piece.length));
        known -= piece.length - fresh.length;
        if (fresh.length === 0) continue;
        at += fresh.length;
        attempt = 0;
        yield fresh;
      }
      if (Number.isNaN(size) || at >= size) return;
      throw new Error("it broke off");
    } catch (error) {
      if (attempt >= attempts_max) throw unreachable(settings, error);
      await Bun.sleep(first_pause_ms * 2 ** attempt);
    }
  }
}

async function listAll(prefix: string, textOf: (query: BucketQuery) => Promise<string>): Promise<BucketFile[]> {
  const found: BucketFile[] = [];
  for (let next: BucketQuery | null = {}; next !== null; ) {
    const text = await textOf({ "list-type": "2", prefix, ...next });
    for (const one of elements(text, "Contents")) {
      found.push({ key: element(one, "Key"), size_bytes: Number(element(one, "Size")) });
    }
    const token = element(text, "NextContinuationToken");
    next = token === "" ? null : { "continuation-token": token };
  }
  return found;
}

/** Asks again after a failure of the network or of the storage; each question may be asked twice. */
async function askPatiently(
  settings: BucketSettings,
  question: BucketRequest,
  within_ms: number = answer_within_ms,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === attempts_max;
    try {
      const sending_ms = (question.body?.length ?? 0) / slow_bytes_per_ms;
      const answer = await askOnce(settings, question, within_ms + sending_ms);
      if (answer.ok) return answer;
      const error = refusal(settings, answer.status, await answer.text());
      if (last || !again(answer.status)) throw error;
    } catch (error) {
      if (last || "exit_code" in (error as object)) throw unreachable(settings, error);
    }
    await Bun.sleep(first_pause_ms * 2 ** (attempt - 1));
  }
}

const again = (status: number) => status === 429 || (status >= 500 && status !== 501);

async function askOnce(settings: BucketSettings, question: BucketRequest, within_ms: number): Promise<Response> {
  const { method, key, query, body, headers: more = {} } = question;
  const { endpoint, region, bucket, access_key_id, secret_access_key } = settings;
  const path = [bucket, ...key.split("/").filter((part) => part !== "")].map(encodeURIComponent).join("/");
  const signer = new AwsV4Signer({
    method,
    url: `${endpoint}/${path}?${new URLSearchParams(query)}`,
    headers: { ...more, "x-amz-content-sha256": new Bun.CryptoHasher("sha256").update(body ?? "").digest("hex") },
    body: body as Uint8Array<ArrayBuffer> | null,
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    service: "s3",
    region,
  });
  const { url, headers } = await signer.sign();
  const signal = AbortSignal.timeout(within_ms);
  return fetch(url, { method, headers, body: body as Uint8Array<ArrayBuffer> | null, redirect: "manual", signal });
}

const refusal = ({ endpoint, bucket }: BucketSettings, status: number, text: string) => {
  const said = [element(text, "Code"), element(text, "Message")].filter((word) => word !== "").join(": ");
  return startRefused("storage", `The storage ${endpoint} (bucket ${bucket}) answered ${status} ${said}`.trim());
};

function unreachable({ endpoint }: BucketSettings, error: unknown): unknown {
  if ("exit_code" in (error as object)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return Object.assign(startRefused("storage", `The storage ${endpoint} cannot be reached: ${reason}`), {
    cause: error,
  });
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The contents of each element of a name. The answers of S3 nest no element in one of its own name. */
function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map(([, text = ""]) => text);
}

/** The text of the first element of a name; empty when there is none. */
function element(xml: string, name: string): string {
  return (elements(xml, name)[0] ?? "").replace(/&(\w+);/g, (whole, word: string) => named[word] ?? whole);
}
