-- additive
ALTER TABLE `labels` ADD `sample` integer DEFAULT false NOT NULL;