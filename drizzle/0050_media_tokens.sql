ALTER TABLE "model_prices" ADD COLUMN "provider_audio_prompt_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "audio_prompt_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "provider_image_prompt_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "image_prompt_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "provider_audio_completion_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "audio_completion_pico" bigint;--> statement-breakpoint
ALTER TABLE "dimension_totals" ADD COLUMN "audio_prompt_tokens" bigint;--> statement-breakpoint
ALTER TABLE "dimension_totals" ADD COLUMN "image_prompt_tokens" bigint;--> statement-breakpoint
ALTER TABLE "dimension_totals" ADD COLUMN "audio_completion_tokens" bigint;--> statement-breakpoint
ALTER TABLE "usage_totals" ADD COLUMN "audio_prompt_tokens" bigint;--> statement-breakpoint
ALTER TABLE "usage_totals" ADD COLUMN "image_prompt_tokens" bigint;--> statement-breakpoint
ALTER TABLE "usage_totals" ADD COLUMN "audio_completion_tokens" bigint;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "audio_prompt_tokens" integer;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "image_prompt_tokens" integer;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "audio_completion_tokens" integer;