ALTER TABLE `deliveries` ADD `form` text DEFAULT 'v1' NOT NULL CONSTRAINT "deliveries_form" CHECK(form in ('v1', 'v2', 'v2_thin'));
