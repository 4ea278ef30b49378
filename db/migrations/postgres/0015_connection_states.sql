-- additive
CREATE TABLE "platform_states" (
	"connection_id" bigint PRIMARY KEY NOT NULL,
	"access_token" text collate "C",
	"token_issued_at" bigint,
	"token_expires_at" bigint,
	"token_scopes" text collate "C",
	"token_claimed_until" bigint,
	"token_error" text collate "C",
	"token_failed_at" bigint,
	"fetched_at" bigint,
	"fetch_error" text collate "C",
	"fetch_failed_at" bigint,
	"addresses_hidden_at" bigint
);
--> statement-breakpoint
ALTER TABLE "platform_connections" ADD COLUMN "client_id" text collate "C";--> statement-breakpoint
ALTER TABLE "platform_states" ADD CONSTRAINT "platform_states_connection_id_platform_connections_id_fk" FOREIGN KEY ("connection_id") REFERENCES "platform_connections"("id") ON DELETE no action ON UPDATE no action;