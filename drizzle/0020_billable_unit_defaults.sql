ALTER TABLE "usage_totals" ALTER COLUMN "prompt_tokens" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "usage_totals" ALTER COLUMN "cached_prompt_tokens" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "usage_totals" ALTER COLUMN "cache_write_tokens" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "usage_totals" ALTER COLUMN "completion_tokens" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "usage_totals" ALTER COLUMN "reasoning_tokens" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "usage_events" ALTER COLUMN "prompt_tokens" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "usage_events" ALTER COLUMN "cached_prompt_tokens" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "usage_events" ALTER COLUMN "completion_tokens" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "usage_events" ALTER COLUMN "reasoning_tokens" SET DEFAULT 0;