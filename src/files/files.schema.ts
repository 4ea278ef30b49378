import { Type } from "@sinclair/typebox";
import { actorTypes } from "../core/actor.ts";
import { environments } from "../core/environment.ts";
import { choice, closed, nullable, Timestamp, textField, timestamp } from "../core/schema.ts";
import { OwnerView } from "../storage/tenant.schema.ts";
import { fileKinds, fileTypes } from "./file.ts";

/** The query of an upload. */
export const UploadQuery = closed({
  kind: choice(fileKinds, { description: "What the file is for." }),
  name: Type.Optional(
    textField(200, { description: "A name to find it by. The default is the file name in a multipart body." }),
  ),
});

/** The query of a signed link. */
export const FollowFileLink = closed({
  mode: choice(environments, { description: "The environment of the file." }),
  expires: Type.Integer({ minimum: 0, description: "When the link expires, in seconds since 1970." }),
  signature: Type.String({ maxLength: 128, description: "Proves that the API made the link." }),
});

export const FileView = closed({
  id: Type.String(),
  merchant_id: OwnerView,
  kind: choice(fileKinds, { description: "What it is for." }),
  content_type: choice(fileTypes, { description: "The type of the stored content." }),
  size_bytes: Type.Integer({ description: "The size of the stored content." }),
  sha256: Type.String({ description: "SHA-256 of the stored content, as hex." }),
  name: nullable(Type.String({ description: "The name that it was uploaded with; null if none." })),
  width: nullable(Type.Integer({ description: "The width of an image in pixels." })),
  height: nullable(Type.Integer({ description: "The height of an image in pixels." })),
  in_use: Type.Boolean({ description: "Whether a record uses it. Otherwise it is deleted a day after its upload." }),
  url: Type.String({ description: "A link to the content that needs no key." }),
  url_expires_at: timestamp("When `url` expires, 7 to 8 days from now."),
  created_by: {
    ...closed({
      type: choice(actorTypes, { description: "What kind of caller uploaded it." }),
      id: Type.String({ description: "The uploading key or user, such as `key_1001`." }),
    }),
    description: "Who uploaded it.",
  },
  created_at: Timestamp,
});
