-- breaking: the previous version reads and writes the column under its old name
ALTER TABLE "audit_entries" RENAME COLUMN "world" TO "mode";--> statement-breakpoint
ALTER TABLE "audit_entries" RENAME CONSTRAINT "audit_entries_world" TO "audit_entries_mode";
