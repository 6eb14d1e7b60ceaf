ALTER TABLE "model_prices" ADD COLUMN "provider_cache_write_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "provider_reasoning_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "cache_write_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "reasoning_pico" bigint;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "cache_write_tokens" integer DEFAULT 0 NOT NULL;