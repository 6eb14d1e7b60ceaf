ALTER TABLE "refresh_tokens" ADD COLUMN "began_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD COLUMN "user_agent" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "session_id" uuid;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_session" ON "api_keys" USING btree ("session_id") WHERE "api_keys"."session_id" is not null and "api_keys"."deleted_at" is null;