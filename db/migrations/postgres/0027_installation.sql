CREATE TABLE "installation" (
	"id" bigint PRIMARY KEY NOT NULL,
	"mode" text collate "C" NOT NULL,
	"seal" text collate "C",
	CONSTRAINT "installation_id" CHECK (id = 1),
	CONSTRAINT "installation_mode" CHECK (mode in ('live', 'test'))
);
