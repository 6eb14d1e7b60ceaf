ALTER TABLE "model_prices" ADD COLUMN "image_prices" jsonb;--> statement-breakpoint
ALTER TABLE "usage_totals" ADD COLUMN "images" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "images" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "variant" text DEFAULT '' NOT NULL;