DROP INDEX "payment_refunds_dispute";--> statement-breakpoint
CREATE UNIQUE INDEX "payment_refunds_once" ON "payment_refunds" USING btree ("payment_id","dispute_reference","kind") WHERE "payment_refunds"."kind" <> 'reversed';--> statement-breakpoint
-- The provider is queried once more about payments of which something came back after a dispute.
UPDATE "payments" SET "next_ask_at" = now()
WHERE "disputed_at" IS NOT NULL AND "restored_minor" > 0 AND "refunded_minor" < "amount_minor" AND "next_ask_at" IS NULL;
