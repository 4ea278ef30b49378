import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, emailField, nullable } from "../core/schema.ts";

/** The kinds of emails, and their recipients. */
export const sends = [
  { kind: "notices", to: "operator", description: "Notices, such as a failing webhook." },
  { kind: "invitations", to: "invited", description: "The link to accept an invitation." },
] as const;

export const MailView = closed({
  configured: Type.Boolean({ description: "Whether a mail server is configured." }),
  server: nullable(
    closed({
      address: Type.String({ description: "`mail.example.com:587`." }),
      tls: choice(["always", "when_offered", "never"], { description: "Whether the connection uses TLS." }),
    }),
  ),
  from: nullable(Type.String()),
  to: Type.Array(Type.String(), { description: "The operator's addresses, which receive notices." }),
  sends: Type.Array(
    closed({
      kind: choice(["notices", "invitations"]),
      to: choice(["operator", "invited"]),
      description: Type.String(),
    }),
    { description: "The kinds of emails that are sent if a mail server is configured." },
  ),
});
export type MailView = Static<typeof MailView>;

export const TestMail = closed({
  to: Type.Optional({ ...emailField(), description: "The recipient; the operator's addresses by default." }),
});
export type TestMail = Static<typeof TestMail>;

export const TestMailView = closed({
  taken: Type.Boolean({ description: "Whether the mail server accepted the email. Delivery may still fail." }),
  to: Type.Array(Type.String()),
  refused: Type.Array(Type.String(), { description: "Addresses that the mail server refused." }),
  answer: Type.String({ description: "The mail server's response, or the connection error. Never a password." }),
});
export type TestMailView = Static<typeof TestMailView>;
