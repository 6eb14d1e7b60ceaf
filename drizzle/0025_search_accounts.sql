CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
CREATE INDEX "users_email_search" ON "users" USING gin (lower("email") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_name_search" ON "users" USING gin (lower("display_name") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "company_details_inn" ON "company_details" USING btree ("inn");--> statement-breakpoint
CREATE INDEX "company_details_name_search" ON "company_details" USING gin (lower(coalesce("company_name", "full_name")) gin_trgm_ops);