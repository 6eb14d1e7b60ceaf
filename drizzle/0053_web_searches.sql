ALTER TABLE "model_prices" ADD COLUMN "provider_web_search_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "web_search_pico" bigint;--> statement-breakpoint
ALTER TABLE "dimension_totals" ADD COLUMN "web_searches" bigint;--> statement-breakpoint
ALTER TABLE "usage_totals" ADD COLUMN "web_searches" bigint;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "web_searches" integer;