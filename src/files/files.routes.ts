import { randomBytes } from "node:crypto";
import type { Static } from "@sinclair/typebox";
import { iso } from "../core/clock.ts";
import { Fault, invalid, missing } from "../core/faults.ts";
import { readId, wireId } from "../core/ids.ts";
import { networkOf } from "../core/ip_addresses.ts";
import { hasPages } from "../documents/batch.ts";
import { type RateLimit, rateCounter } from "../http/auth/rate_limits.ts";
import type { Call } from "../http/call.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { readUpload } from "../http/file_upload.ts";
import { originOf } from "../http/origin.ts";
import { answerLongWork, answerWrite, writeFor } from "../http/response.ts";
import { list, read, respond, routes, write } from "../http/routes.ts";
import { clientOf, type Service } from "../http/service.ts";
import { type ViewerWithUsers, viewerOf, withActorsFor } from "../identity/actors.sql.ts";
import type { Db, Tx } from "../storage/database.ts";
import { type FileKind, fileExtensions, fileTypes, isUsed, type StoredFile, upload_bytes_max } from "./file.ts";
import { fileLink, isSignedLink } from "./file_links.ts";
import { FileView, FollowFileLink, UploadQuery } from "./files.schema.ts";
import { fileList, findSameFile, getFile } from "./files.sql.ts";
import { beginUpload, deleteFile, finishUpload, readContent, withinTime } from "./files.ts";
import { readImage, readLabel } from "./read_upload.ts";

/** The rate limit of one client network for contents. A page shows few files. */
const content_rate: RateLimit = { per_minute: 300, burst: 100 };
const cached_seconds = 3600;

/** The routes of uploaded files. */
export const fileRoutes = (service: Service) =>
  routes("Files", [...recordRows(service), uploadRow(service), contentRow(service)]);

const recordRows = (service: Service) => [
  list("/files", "files.read", {
    id: "listFiles",
    summary: "List files",
    description: "Lists uploaded files, newest first. Each has a new link to its content.",
    of: fileList,
    view: FileView,
    prepare: ({ call }) => viewerOf(call),
    views: (files, db, { call, prepared }) => views(db, files, { service, call, viewer: prepared }),
  }),
  read("/files/:id", "files.read", {
    id: "getFile",
    summary: "Get a file",
    description: "Returns what is known of a file, and a link to its content.",
    view: FileView,
    prepare: ({ call }) => viewerOf(call),
    data: async (db, { call, params, prepared }) =>
      one(await views(db, [await getFile(db, params.id)], { service, call, viewer: prepared })),
  }),
  write("DELETE", "/files/:id", "files.write", {
    id: "deleteFile",
    summary: "Delete a file",
    description:
      "Its links end at once; the content is removed a day later, since a backup may be reading it. A file that a" +
      " record uses cannot be deleted.",
    refuses: ["file_in_use"],
    view: FileView,
    secret_key: service.secret_key,
    prepare: ({ call }) => viewerOf(call),
    act: async (tx, { call, params, prepared }) =>
      one(await views(tx, [await deleteFile(tx, params.id)], { service, call, viewer: prepared })),
  }),
];

const uploadRow = (service: Service) =>
  respond("POST", "/files", "uploads", {
    id: "uploadFile",
    summary: "Upload a file",
    description:
      "Send the file as the body, or as the field `file` of a `multipart/form-data` body. Its type is that of its" +
      " content. A logo is a PNG, JPEG or WebP image of at most 1 MiB and 4,096 pixels a side; it is stored upright," +
      " without metadata, and scaled down to 1,024 pixels. A label that was bought elsewhere is a PDF, a PNG or ZPL" +
      " of at most 5 MiB, and is stored as it is. The same content again returns the same file. Logos require" +
      " `files.write`, labels that or `shipping.buy`.",
    refuses: ["unsupported_media_type", "payload_too_large", "write_conflict"],
    sends: "file",
    query: UploadQuery,
    answers: { 201: EnvelopedView(FileView) },
    answer: async ({ call, query }) => {
      const { kind } = query;
      refuseKind(call, kind);
      const sent = await readUpload(call, upload_bytes_max[kind]);
      const work = async () =>
        answerUpload(service, call, {
          kind,
          name: query.name ?? sent.name,
          content: await readers[kind](sent.bytes, service),
        });
      return answerLongWork(call, work, service.secret_key);
    },
  });

/** Checks that the caller may upload this kind of file. Refuses: insufficient_permission. */
function refuseKind({ granted }: Call, kind: FileKind): void {
  const permission = "files.write";
  if (kind === "label" || granted.permissions.has(permission)) return;
  throw new Fault("insufficient_permission", `Uploading a ${kind} requires the permission ${permission}.`, {
    permission,
  });
}

/** The content of an upload that has been read. */
interface UploadedContent extends Pick<StoredFile, "content_type" | "width" | "height"> {
  readonly bytes: Uint8Array;
}

/** Reads uploads by their kind. */
const readers: Readonly<Record<FileKind, (bytes: Uint8Array, service: Service) => Promise<UploadedContent>>> = {
  logo: readImage,
  label: async (bytes, { log }) => {
    const content_type = await readLabel(bytes);
    if (content_type === "application/pdf" && !(await hasPages(bytes, log))) {
      const message = "cannot be read: it is damaged or protected. Print it into a new PDF and upload that";
      throw invalid("file", message, "invalid_format");
    }
    return { content_type, bytes, width: null, height: null };
  },
};

interface Upload extends Pick<StoredFile, "kind" | "name"> {
  readonly content: UploadedContent;
}

/** Stores an upload and responds with its file. Nothing is written if the merchant has the same content already. */
async function answerUpload(service: Service, call: Call, { kind, name, content }: Upload): Promise<Response> {
  const { bytes, content_type, width, height } = content;
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  const key = randomBytes(16).toString("hex");
  const viewer = await viewerOf(call);
  const { owner } = call.store.scope;
  const same =
    owner === null ? null : await call.store.read((db) => findSameFile(db, { kind, sha256, merchant_id: owner }));
  const facts = { kind, name, content_type, width, height, size_bytes: bytes.length, sha256, key };
  const pending_id =
    same === null ? await writeFor(call, (tx) => beginUpload(tx, { ...facts, created_by: call.actor })) : null;
  if (pending_id !== null) await withinTime(service.files.write(call.store.mode, key, bytes));
  const finish = async (tx: Tx) =>
    one(await views(tx, [await finishUpload(tx, { kind, sha256 }, pending_id)], { service, call, viewer }));
  // The stored response has a signed link.
  return answerWrite(call, 201, finish, undefined, service.secret_key);
}

// Browsers and buyers' pages follow these links without a key. The signature proves that the API issued the link.
const contentRow = (service: Service) => {
  const count = rateCounter(content_rate);
  return respond("GET", "/files/:id/content", "none", {
    id: "getFileContent",
    summary: "Get the content of a file by its signed link",
    description:
      "The target of a file's `url`, for browsers that have no key. It works for 7 to 8 days, and ends early when the" +
      " file is deleted. Get the file again for a new link.",
    refuses: ["invalid_signature", "rate_limited", "resource_missing"],
    documents: fileTypes,
    query: FollowFileLink,
    answers: { 200: null },
    answer: async ({ call, params, query }) => {
      const file = await linkedFile(service, call, params.id, query, count);
      const bytes = await readContent(service.files, query.mode, file);
      return new Response(new Uint8Array(bytes), { headers: contentHeaders(call, file) });
    },
  });
};

/** The file of a signed link. Refuses: invalid_signature, rate_limited, resource_missing. */
async function linkedFile(
  service: Service,
  call: Call,
  id: string,
  { mode, expires, signature }: Static<typeof FollowFileLink>,
  count: ReturnType<typeof rateCounter>,
): Promise<StoredFile> {
  const store = service.stores[mode];
  const now = store.clock.now();
  const retry_after_seconds = count(networkOf(clientOf(service, call.request) ?? "unknown"), now);
  if (retry_after_seconds > 0) {
    const message = "Files were requested too often from this network. Try again later.";
    throw new Fault("rate_limited", message, { retry_after_seconds });
  }
  const file_id = readId("file", id) ?? 0;
  const is_signed = isSignedLink(service, { file_id, mode, expires }, signature);
  if (!is_signed || expires * 1000 <= now) {
    const what = is_signed ? "has expired" : "is not valid";
    throw new Fault("invalid_signature", `This link ${what}. Get the file again for a new link.`);
  }
  return store.read((db) => getFile(db, file_id));
}

function contentHeaders(call: Call, { id, content_type }: StoredFile): Record<string, string> {
  return {
    ...call.headers,
    "content-type": content_type,
    "content-disposition": `inline; filename="${wireId("file", id)}.${fileExtensions[content_type]}"`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    // Merchants' pages and emails show logos by their signed links.
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": `private, max-age=${cached_seconds}`,
    "x-request-id": call.request_id,
  };
}

interface ViewContext {
  readonly service: Service;
  readonly call: Call;
  readonly viewer: ViewerWithUsers;
}

/** Files as the API shows them, each with a new link. */
async function views(db: Db, files: readonly StoredFile[], { service, call, viewer }: ViewContext) {
  const actors = files.map(({ created_by: { type, id } }) => ({ actor_type: type, actor_id: id }));
  const shown = await withActorsFor(db, viewer, actors);
  return files.map((file, at) => {
    const { id, merchant_id, kind, content_type, size_bytes, sha256, name, width, height, created_at } = file;
    const { url, expires_at } = fileLink({ site: service, mode: db.mode, now: db.now }, originOf(call), file);
    const by = shown[at];
    return {
      ...{ id: wireId("file", id), merchant_id: wireId("merchant", merchant_id), kind, content_type, size_bytes },
      ...{ sha256, name, width, height, in_use: isUsed(file), url, url_expires_at: iso(expires_at) },
      created_by: { type: by?.actor_type ?? "system", id: by?.actor_id ?? "" },
      created_at: iso(created_at),
    };
  });
}

function one<View>([view]: readonly View[]): View {
  if (view === undefined) throw missing("file", "");
  return view;
}
