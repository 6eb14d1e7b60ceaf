ALTER TABLE "organization_settings" ADD COLUMN "data_policy" jsonb;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "data_policy" jsonb;