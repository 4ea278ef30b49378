-- additive
CREATE TABLE `order_counts` (
	`status` text NOT NULL,
	`held` integer NOT NULL,
	`part` integer NOT NULL,
	`number` integer NOT NULL,
	PRIMARY KEY(`status`, `held`, `part`)
) STRICT;--> statement-breakpoint
INSERT INTO `order_counts` (`status`, `held`, `part`, `number`)
  SELECT `status`, `held`, 0, count(*) FROM `orders` GROUP BY `status`, `held`;--> statement-breakpoint
CREATE TRIGGER `orders_counted_new` AFTER INSERT ON `orders` BEGIN
  INSERT INTO `order_counts` (`status`, `held`, `part`, `number`) VALUES (NEW.`status`, NEW.`held`, 0, 1)
    ON CONFLICT (`status`, `held`, `part`) DO UPDATE SET `number` = `number` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `orders_counted_changed` AFTER UPDATE OF `status`, `held` ON `orders`
  WHEN NEW.`status` <> OLD.`status` OR NEW.`held` <> OLD.`held` BEGIN
  UPDATE `order_counts` SET `number` = `number` - 1
    WHERE `status` = OLD.`status` AND `held` = OLD.`held` AND `part` = 0;
  INSERT INTO `order_counts` (`status`, `held`, `part`, `number`) VALUES (NEW.`status`, NEW.`held`, 0, 1)
    ON CONFLICT (`status`, `held`, `part`) DO UPDATE SET `number` = `number` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `orders_counted_gone` AFTER DELETE ON `orders` BEGIN
  UPDATE `order_counts` SET `number` = `number` - 1
    WHERE `status` = OLD.`status` AND `held` = OLD.`held` AND `part` = 0;
END;
