-- additive
ALTER TABLE "installation" ADD COLUMN "moving" text collate "C";