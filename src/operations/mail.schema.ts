import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, emailField, nullable } from "../core/schema.ts";

/** The kinds of emails, and their recipients. */
export const sends = [
  { kind: "notices", to: "operator", description: "Notices, such as a failing webhook." },
  { kind: "invitations", to: "invited", description: "The link to accept an invitation." },
] as const;

export const MailView = closed({
  configured: Type.Boolean({ description: "Whether a mail server is configured." }),
  server: nullable({
    ...closed({
      address: Type.String({ description: "Its host and port, such as `mail.example.com:587`." }),
      tls: choice(["always", "when_offered", "never"], { description: "Whether the connection uses TLS." }),
    }),
    description: "The mail server; null if none is configured.",
  }),
  from: nullable(Type.String({ description: "The sender of all emails; null if no server is configured." })),
  to: Type.Array(Type.String(), { description: "The operator's addresses, which receive notices." }),
  sends: Type.Array(
    closed({
      kind: choice(["notices", "invitations"], { description: "The kind of email." }),
      to: choice(["operator", "invited"], {
        description: "Who receives it: `operator`, the addresses in `to`, or `invited`, the invited person.",
      }),
      description: Type.String({ description: "What it contains, in words." }),
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
  accepted: Type.Boolean({ description: "Whether the mail server accepted the email. Delivery may still fail." }),
  to: Type.Array(Type.String(), { description: "The addresses that it was sent to." }),
  refused: Type.Array(Type.String(), { description: "Addresses that the mail server refused." }),
  response: Type.String({ description: "The mail server's response, or the connection error. Never a password." }),
});
export type TestMailView = Static<typeof TestMailView>;
