ALTER TABLE "payment_refunds" DROP CONSTRAINT "refund_amounts";--> statement-breakpoint
ALTER TABLE "payment_refunds" ADD CONSTRAINT "refund_amounts" CHECK ("payment_refunds"."amount_minor" >= 0 AND ("payment_refunds"."amount_minor" = 0) = ("payment_refunds"."kind" = 'collected')
        AND "payment_refunds"."amount_nano" >= 0 AND "payment_refunds"."owed_nano" >= 0);