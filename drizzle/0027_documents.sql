CREATE TABLE "document_counters" (
	"type" text NOT NULL,
	"year" smallint NOT NULL,
	"last" integer NOT NULL,
	CONSTRAINT "document_counters_type_year_pk" PRIMARY KEY("type","year")
);
--> statement-breakpoint
CREATE TABLE "documents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" bigint NOT NULL,
	"type" text NOT NULL,
	"year" smallint NOT NULL,
	"number" integer NOT NULL,
	"date" date NOT NULL,
	"period_from" date,
	"period_to" date,
	"payment_id" uuid,
	"amount_kopecks" bigint NOT NULL,
	"data" jsonb NOT NULL,
	"corrects_id" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_number" CHECK ("documents"."number" > 0 AND "documents"."year" = extract(year FROM "documents"."date")),
	CONSTRAINT "document_about_payment" CHECK (("documents"."type" IN ('invoice', 'advance_invoice')) = ("documents"."payment_id" IS NOT NULL)),
	CONSTRAINT "document_about_period" CHECK (("documents"."payment_id" IS NULL) = ("documents"."period_from" IS NOT NULL AND "documents"."period_to" IS NOT NULL)),
	CONSTRAINT "document_period" CHECK ("documents"."period_from" <= "documents"."period_to"),
	CONSTRAINT "document_amount" CHECK ("documents"."amount_kopecks" > 0 OR "documents"."type" = 'reconciliation')
);
--> statement-breakpoint
ALTER TABLE "notification_settings" ADD COLUMN "document_emails" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "documents" ADD CONSTRAINT "documents_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "documents" ADD CONSTRAINT "documents_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "documents_number" ON "documents" USING btree ("type","year","number");--> statement-breakpoint
CREATE UNIQUE INDEX "documents_payment" ON "documents" USING btree ("payment_id","type") WHERE "documents"."corrects_id" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "documents_services" ON "documents" USING btree ("account_id","period_to") WHERE "documents"."type" IN ('act', 'upd') AND "documents"."corrects_id" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "documents_tax_invoice" ON "documents" USING btree ("account_id","period_to") WHERE "documents"."type" = 'tax_invoice' AND "documents"."corrects_id" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "documents_correction" ON "documents" USING btree ("corrects_id");--> statement-breakpoint
CREATE INDEX "documents_account" ON "documents" USING btree ("account_id","date" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "payments_paid" ON "payments" USING btree ("paid_at") WHERE "payments"."transaction_id" is not null;--> statement-breakpoint

-- Documents never change. Their numbers are the counter's, one after the other, and each number has its document at commit.
CREATE TRIGGER documents_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON documents
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER document_counters_stay BEFORE DELETE OR TRUNCATE ON document_counters
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE FUNCTION check_counter_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (TG_OP = 'INSERT' AND NEW.last <> 1)
    OR (TG_OP = 'UPDATE' AND (NEW.type, NEW.year, NEW.last) IS DISTINCT FROM (OLD.type, OLD.year, OLD.last + 1)) THEN
    RAISE EXCEPTION 'numbers of % in % run without a gap', NEW.type, NEW.year USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER document_counters_step BEFORE INSERT OR UPDATE ON document_counters
  FOR EACH ROW EXECUTE FUNCTION check_counter_step();--> statement-breakpoint
CREATE FUNCTION check_number_used() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM documents WHERE type = NEW.type AND year = NEW.year AND number = NEW.last) THEN
    RAISE EXCEPTION 'number % of % in % has no document', NEW.last, NEW.type, NEW.year
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER document_numbers_are_used AFTER INSERT OR UPDATE ON document_counters
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_number_used();--> statement-breakpoint
CREATE FUNCTION check_number_taken() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.number IS DISTINCT FROM (SELECT last FROM document_counters WHERE type = NEW.type AND year = NEW.year) THEN
    RAISE EXCEPTION 'number % of % in % was not taken from the counter', NEW.number, NEW.type, NEW.year
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER documents_number_taken BEFORE INSERT ON documents FOR EACH ROW EXECUTE FUNCTION check_number_taken();
