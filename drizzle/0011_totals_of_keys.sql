DROP TABLE "key_usage_days" CASCADE;--> statement-breakpoint
ALTER TABLE "usage_totals" ADD COLUMN "last_charged_at" timestamp with time zone NOT NULL;