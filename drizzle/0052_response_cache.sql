ALTER TABLE "api_keys" ADD COLUMN "cache_seconds" integer;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "repeats" uuid;