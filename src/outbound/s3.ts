// Files in a bucket of S3 or a compatible storage. The operator configures it, so any address may be called. Bun's own
// client cannot abort an upload: the part written so far would become the file.
import { AwsV4Signer } from "aws4fetch";
import { startRefused } from "../storage/start_refused.ts";

/** The location of a bucket and its credentials. */
export interface BucketSettings {
  /** The storage's URL, such as `https://s3.eu-central-1.amazonaws.com`, without a trailing slash. */
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

/** An incomplete upload, which is not visible as a file. */
interface BucketUpload {
  readonly key: string;
  readonly id: string;
  /** When it was started, in milliseconds. */
  readonly begun_at: number;
}

interface BucketClient {
  /** The files whose keys start with `prefix`. */
  list(prefix: string): Promise<BucketFile[]>;
  /** The uploads that are in progress or were abandoned. */
  listUploads(prefix: string): Promise<BucketUpload[]>;
  /** Starts a multipart upload and returns its id. */
  begin(key: string): Promise<string>;
  /** Sends a part, numbered from 1, of at least 5 MiB except for the last. Returns its ETag. */
  sendPart(key: string, id: string, number: number, bytes: Uint8Array): Promise<string>;
  /** Creates the file from its parts' ETags. */
  complete(key: string, id: string, tags: readonly string[]): Promise<void>;
  /** Aborts an upload and deletes its parts. */
  abort(key: string, id: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Writes a small file in one request. */
  write(key: string, bytes: Uint8Array): Promise<void>;
  /** The content of a file, in chunks. */
  read(key: string): AsyncIterable<Uint8Array>;
}

const attempts_max = 4;
const first_pause_ms = 500;
const timeout_ms = 120_000;
/** 1 Mbit/s, the slowest line: a request may take longer by the time that its body needs at this rate. */
const slow_bytes_per_ms = 125;
const read_timeout_ms = 24 * 60 * 60 * 1000;

/** Creates a client of a bucket without a request. Each call refuses if the storage is unreachable or denies access. */
export function openBucket(settings: BucketSettings): BucketClient {
  const ask = (method: string, key: string, query: BucketQuery = {}, body: Uint8Array | null = null) =>
    askWithRetries(settings, { method, key, query, body });
  const textOf = async (...request: Parameters<typeof ask>) => (await ask(...request)).text();
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
      const response = await ask("PUT", key, { partNumber: String(number), uploadId }, bytes);
      return response.headers.get("etag") ?? "";
    },
    complete: async (key, uploadId, tags) => {
      const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
      const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
      try {
        const text = await textOf("POST", key, { uploadId }, Buffer.from(body));
        // S3 may report a failure in the body of a response with status 200.
        if (text.includes("<Error>")) throw refusal(settings, 200, text);
      } catch (error) {
        // The response to a successful attempt may be lost. Then the upload is gone and the file exists.
        const files = await listAll(key, (query) => textOf("GET", "", query));
        if (!files.some((file) => file.key === key)) throw unreachable(settings, error);
      }
    },
    abort: async (key, uploadId) => void (await ask("DELETE", key, { uploadId })),
    remove: async (key) => void (await ask("DELETE", key)),
    write: async (key, bytes) => void (await ask("PUT", key, {}, bytes)),
    read: (key) => readAll(settings, key),
  };
}

/** The prefix of all keys in a folder of a bucket, without empty parts, as in requests. */
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

/** Reads a file to its end. An interrupted download is resumed as long as the file is unchanged. */
async function* readAll(settings: BucketSettings, key: string): AsyncGenerator<Uint8Array> {
  let at = 0;
  let size: number | null = null;
  let tag: string | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const headers = at === 0 || tag === null ? {} : { range: `bytes=${at}-`, "if-match": tag };
    const request = { method: "GET", key, query: {}, body: null, headers };
    const { body, status, headers: response_headers } = await askWithRetries(settings, request, read_timeout_ms);
    tag ??= response_headers.get("etag");
    size ??= Number(response_headers.get("content-length") ?? Number.NaN);
    // A storage without ranges or ETags sends the file from its start.
    let known = status === 206 ? 0 : at;
    try {
      for await (const chunk of (body ?? []) as unknown as AsyncIterable<Uint8Array>) {
        const fresh = chunk.subarray(Math.min(known, chunk.length));
        known -= chunk.length - fresh.length;
        if (fresh.length === 0) continue;
        at += fresh.length;
        attempt = 0;
        yield fresh;
      }
      if (Number.isNaN(size) || at >= size) return;
      throw new Error("the download was cut off");
    } catch (error) {
      if (attempt >= attempts_max) throw unreachable(settings, error);
      await Bun.sleep(first_pause_ms * 2 ** attempt);
    }
  }
}

async function listAll(prefix: string, textOf: (query: BucketQuery) => Promise<string>): Promise<BucketFile[]> {
  const files: BucketFile[] = [];
  for (let next: BucketQuery | null = {}; next !== null; ) {
    const text = await textOf({ "list-type": "2", prefix, ...next });
    for (const file of elements(text, "Contents")) {
      files.push({ key: element(file, "Key"), size_bytes: Number(element(file, "Size")) });
    }
    const token = element(text, "NextContinuationToken");
    next = token === "" ? null : { "continuation-token": token };
  }
  return files;
}

/** Sends a request and retries after a failure of the network or the storage. Every request here is repeatable. */
async function askWithRetries(
  settings: BucketSettings,
  request: BucketRequest,
  within_ms: number = timeout_ms,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === attempts_max;
    try {
      const sending_ms = (request.body?.length ?? 0) / slow_bytes_per_ms;
      const response = await askOnce(settings, request, within_ms + sending_ms);
      if (response.ok) return response;
      const error = refusal(settings, response.status, await response.text());
      if (last || !isTemporary(response.status)) throw error;
    } catch (error) {
      if (last || "exit_code" in (error as object)) throw unreachable(settings, error);
    }
    await Bun.sleep(first_pause_ms * 2 ** (attempt - 1));
  }
}

const isTemporary = (status: number) => status === 429 || (status >= 500 && status !== 501);

async function askOnce(settings: BucketSettings, request: BucketRequest, within_ms: number): Promise<Response> {
  const { method, key, query, body, headers: more = {} } = request;
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
  const reason = [element(text, "Code"), element(text, "Message")].filter((word) => word !== "").join(": ");
  return startRefused("storage", `The storage ${endpoint} (bucket ${bucket}) answered ${status} ${reason}`.trim());
};

function unreachable({ endpoint }: BucketSettings, error: unknown): unknown {
  if ("exit_code" in (error as object)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return Object.assign(startRefused("storage", `The storage ${endpoint} cannot be reached: ${reason}`), {
    cause: error,
  });
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The contents of each element with a name. S3 never nests an element in one of the same name. */
function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map(([, text = ""]) => text);
}

/** The text of the first element with a name, or "". */
function element(xml: string, name: string): string {
  return (elements(xml, name)[0] ?? "").replace(/&(\w+);/g, (whole, word: string) => named[word] ?? whole);
}
