-- additive
ALTER TABLE `invitations` ADD `needs_proof` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `invitations` ADD `proof_hash` text;--> statement-breakpoint
-- Who invited for a merchant knows the link; the operator has handed the others over.
UPDATE `invitations` SET `needs_proof` = 1
WHERE `merchant_id` IS NOT NULL AND `accepted_at` IS NULL AND `revoked_at` IS NULL;
