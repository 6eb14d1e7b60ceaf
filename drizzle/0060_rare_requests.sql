-- Built before this migration runs: see admin/database/build-indexes.ts.
CREATE INDEX "usage_events_charged" ON "usage_events" USING btree ("account_id","charged_at" NULLS FIRST);--> statement-breakpoint
CREATE INDEX "usage_events_rare" ON "usage_events" USING gin ((ARRAY["key_id"]),(ARRAY[("account_id"::text || ' ' || "model") COLLATE "C"]));--> statement-breakpoint
DROP INDEX "usage_events_account";--> statement-breakpoint
DROP INDEX "usage_events_model";--> statement-breakpoint
DROP INDEX "usage_events_key";
