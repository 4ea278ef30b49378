CREATE TABLE `installation` (
	`id` integer PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`seal` text,
	CONSTRAINT "installation_id" CHECK(id = 1),
	CONSTRAINT "installation_mode" CHECK(mode in ('live', 'test'))
) STRICT;
