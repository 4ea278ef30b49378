-- additive
ALTER TABLE `installation` ADD `moving` text;