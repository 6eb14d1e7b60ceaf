ALTER TABLE "api_keys" ADD COLUMN "pepper_mark" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "first_hash" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "former_hash" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "rehashed_at" timestamp with time zone;