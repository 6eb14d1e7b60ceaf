CREATE TABLE "usage_totals" (
	"account_id" bigint NOT NULL,
	"quarter" timestamp with time zone NOT NULL,
	"key_id" bigint NOT NULL,
	"model" text NOT NULL,
	"requests" bigint NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"cached_prompt_tokens" bigint NOT NULL,
	"cache_write_tokens" bigint NOT NULL,
	"completion_tokens" bigint NOT NULL,
	"reasoning_tokens" bigint NOT NULL,
	"cost_nano" bigint NOT NULL,
	CONSTRAINT "usage_totals_account_id_quarter_key_id_model_pk" PRIMARY KEY("account_id","quarter","key_id","model")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "requests_per_minute" bigint;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "tokens_per_minute" bigint;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "concurrent_streams" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "spend_limit_day_nano" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "spend_limit_month_nano" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "spend_limit_total_nano" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "requests_per_minute" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "tokens_per_minute" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "concurrent_streams" bigint;--> statement-breakpoint
CREATE INDEX "usage_totals_key" ON "usage_totals" USING btree ("key_id","quarter");