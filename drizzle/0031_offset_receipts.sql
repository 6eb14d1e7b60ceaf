CREATE TABLE "offset_receipts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL,
	"month" date NOT NULL,
	"kopecks" bigint NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"key" uuid NOT NULL,
	"asked_at" timestamp with time zone,
	"provider_reference" text,
	"problem" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "offset_receipt_amount" CHECK ("offset_receipts"."kopecks" > 0),
	CONSTRAINT "offset_receipt_finished" CHECK (("offset_receipts"."status" = 'pending') = ("offset_receipts"."finished_at" IS NULL))
);
--> statement-breakpoint
ALTER TABLE "offset_receipts" ADD CONSTRAINT "offset_receipts_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "offset_receipts_month" ON "offset_receipts" USING btree ("payment_id","month");--> statement-breakpoint
CREATE UNIQUE INDEX "offset_receipts_reference" ON "offset_receipts" USING btree ("provider_reference");--> statement-breakpoint
CREATE INDEX "offset_receipts_due" ON "offset_receipts" USING btree ("next_attempt_at") WHERE "offset_receipts"."status" = 'pending';--> statement-breakpoint

-- What a receipt is about never changes, nor how it ended.
CREATE FUNCTION check_offset_receipt_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.payment_id, NEW.month, NEW.kopecks) IS DISTINCT FROM (OLD.id, OLD.payment_id, OLD.month, OLD.kopecks)
    OR (OLD.status <> 'pending' AND NEW IS DISTINCT FROM OLD) THEN
    RAISE EXCEPTION 'offset receipt % refuses this change', OLD.id USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER offset_receipts_change BEFORE UPDATE ON offset_receipts
  FOR EACH ROW EXECUTE FUNCTION check_offset_receipt_change();--> statement-breakpoint
CREATE TRIGGER offset_receipts_stay BEFORE DELETE OR TRUNCATE ON offset_receipts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
