import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, emailField, nullable } from "../core/schema.ts";

/** What is sent by e-mail, and to whom. */
export const sends = [
  { kind: "notices", to: "operator", description: "What you should know of, such as a webhook that fails." },
  { kind: "invitations", to: "invited", description: "The link that accepts an invitation." },
] as const;

export const MailView = closed({
  configured: Type.Boolean({ description: "Whether there is a mail server." }),
  server: nullable(
    closed({
      address: Type.String({ description: "`mail.example.com:587`." }),
      tls: choice(["always", "when_offered", "never"], { description: "Whether the connection is under TLS." }),
    }),
  ),
  from: nullable(Type.String()),
  to: Type.Array(Type.String(), { description: "The operator's addresses, which get the notices." }),
  sends: Type.Array(
    closed({
      kind: choice(["notices", "invitations"]),
      to: choice(["operator", "invited"]),
      description: Type.String(),
    }),
    { description: "The kinds of e-mails that are sent if there is a mail server." },
  ),
});
export type MailView = Static<typeof MailView>;

export const TestMail = closed({
  to: Type.Optional({ ...emailField(), description: "The operator's addresses unless given." }),
});
export type TestMail = Static<typeof TestMail>;

export const TestMailView = closed({
  taken: Type.Boolean({ description: "Whether the mail server accepted it. It may still fail to deliver it." }),
  to: Type.Array(Type.String()),
  refused: Type.Array(Type.String(), { description: "Addresses that the mail server refused." }),
  answer: Type.String({ description: "What the mail server said, or why it could not be asked. Never a password." }),
});
export type TestMailView = Static<typeof TestMailView>;
