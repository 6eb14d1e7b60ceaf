ALTER TABLE "usage_totals" RENAME COLUMN "quarter" TO "bucket_15m";--> statement-breakpoint
ALTER TABLE "usage_totals" RENAME CONSTRAINT "usage_totals_account_id_quarter_key_id_model_pk" TO "usage_totals_account_id_bucket_15m_key_id_model_pk";
