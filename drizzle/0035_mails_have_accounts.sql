DELETE FROM "mails" WHERE "account_id" IS NULL;--> statement-breakpoint
ALTER TABLE "mails" ALTER COLUMN "account_id" SET NOT NULL;