-- additive
ALTER TABLE "labels" ADD COLUMN "sample" boolean DEFAULT false NOT NULL;