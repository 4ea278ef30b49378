-- breaking: the previous version reads and writes the column under its old name
-- SQLite cannot rename a constraint, so the CHECK keeps its name `audit_entries_world`.
ALTER TABLE `audit_entries` RENAME COLUMN `world` TO `mode`;
