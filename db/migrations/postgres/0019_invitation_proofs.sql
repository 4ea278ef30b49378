-- additive
ALTER TABLE "invitations" ADD COLUMN "needs_proof" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "proof_hash" text collate "C";--> statement-breakpoint
-- Who invited for a merchant knows the link; the operator has handed the others over.
UPDATE "invitations" SET "needs_proof" = true
WHERE "merchant_id" IS NOT NULL AND "accepted_at" IS NULL AND "revoked_at" IS NULL;
