ALTER TABLE "payment_refunds" ADD COLUMN "review_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "payment_refunds" ADD COLUMN "settled_as" text;