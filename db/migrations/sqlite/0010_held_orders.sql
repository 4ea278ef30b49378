CREATE INDEX `orders_held` ON `orders` (`created_at`,`id`) WHERE held = true;--> statement-breakpoint
CREATE INDEX `orders_held_queue` ON `orders` ("priority" desc,`id`) WHERE held = true;