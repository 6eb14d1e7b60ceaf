ALTER TABLE "balance_alerts" ADD COLUMN "seen_above" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "balance_alerts" ADD COLUMN "emptied_at" timestamp with time zone;