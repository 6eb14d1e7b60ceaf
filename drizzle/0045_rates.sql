ALTER TABLE "model_prices" ADD COLUMN "provider_cache_write_1h_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "cache_write_1h_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "provider_request_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "request_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "rates" jsonb;--> statement-breakpoint
ALTER TABLE "dimension_totals" ADD COLUMN "cache_write_1h_tokens" bigint;--> statement-breakpoint
ALTER TABLE "dimension_totals" ADD COLUMN "priced_requests" bigint;--> statement-breakpoint
ALTER TABLE "usage_totals" ADD COLUMN "cache_write_1h_tokens" bigint;--> statement-breakpoint
ALTER TABLE "usage_totals" ADD COLUMN "priced_requests" bigint;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "cache_write_1h_tokens" integer;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "priced_requests" integer;