CREATE TABLE "auto_top_up_consents" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "auto_top_up_consents_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" bigint NOT NULL,
	"text_version" text NOT NULL,
	"words" text NOT NULL,
	"address" text,
	"given_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auto_top_ups" (
	"account_id" bigint PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"method" text NOT NULL,
	"currency" text NOT NULL,
	"amount_minor" bigint NOT NULL,
	"threshold_nano" bigint NOT NULL,
	"day_limit_minor" bigint NOT NULL,
	"month_limit_minor" bigint NOT NULL,
	"card_id" uuid,
	"failures" integer DEFAULT 0 NOT NULL,
	"stop_reason" text,
	"due_at" timestamp with time zone,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "auto_top_up_amounts" CHECK ("auto_top_ups"."amount_minor" > 0 AND "auto_top_ups"."threshold_nano" > 0),
	CONSTRAINT "auto_top_up_limits" CHECK ("auto_top_ups"."amount_minor" <= "auto_top_ups"."day_limit_minor" AND "auto_top_ups"."day_limit_minor" <= "auto_top_ups"."month_limit_minor"),
	CONSTRAINT "auto_top_up_stopped" CHECK (("auto_top_ups"."state" = 'stopped') = ("auto_top_ups"."stop_reason" IS NOT NULL))
);
--> statement-breakpoint
CREATE TABLE "saved_cards" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" bigint NOT NULL,
	"method" text NOT NULL,
	"reference" text,
	"customer" text,
	"title" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bank_lines" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "bank_lines_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"bank_date" date NOT NULL,
	"number" text NOT NULL,
	"amount_kopecks" bigint NOT NULL,
	"payer_account" text NOT NULL,
	"payer_inn" text NOT NULL,
	"payer_name" text NOT NULL,
	"purpose" text NOT NULL,
	"payment_id" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bank_line_amount" CHECK ("bank_lines"."amount_kopecks" > 0)
);
--> statement-breakpoint
ALTER TABLE "payments" DROP CONSTRAINT "payment_refunded";--> statement-breakpoint
DROP INDEX "payments_reference";--> statement-breakpoint
ALTER TABLE "payment_refunds" ADD COLUMN "dispute_reference" text;--> statement-breakpoint
CREATE UNIQUE INDEX "payment_refunds_dispute" ON "payment_refunds" USING btree ("payment_id","dispute_reference","kind");--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "restored_minor" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "reference_scope" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "dispute_won_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "saves_card" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "card_id" uuid;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "outcome_counted" boolean;--> statement-breakpoint
ALTER TABLE "auto_top_up_consents" ADD CONSTRAINT "auto_top_up_consents_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auto_top_ups" ADD CONSTRAINT "auto_top_ups_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auto_top_ups" ADD CONSTRAINT "auto_top_ups_card_id_saved_cards_id_fk" FOREIGN KEY ("card_id") REFERENCES "public"."saved_cards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_cards" ADD CONSTRAINT "saved_cards_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bank_lines" ADD CONSTRAINT "bank_lines_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "auto_top_up_consents_account" ON "auto_top_up_consents" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "auto_top_ups_due" ON "auto_top_ups" USING btree ("due_at") WHERE "auto_top_ups"."state" = 'on' AND "auto_top_ups"."due_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "saved_cards_account" ON "saved_cards" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "bank_lines_identity" ON "bank_lines" USING btree ("bank_date","number","payer_account","amount_kopecks");--> statement-breakpoint
CREATE UNIQUE INDEX "bank_lines_payment" ON "bank_lines" USING btree ("payment_id");--> statement-breakpoint
CREATE INDEX "bank_lines_open" ON "bank_lines" USING btree ("id") WHERE "bank_lines"."payment_id" IS NULL;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_card_id_saved_cards_id_fk" FOREIGN KEY ("card_id") REFERENCES "public"."saved_cards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "payments_automatic" ON "payments" USING btree ("account_id") WHERE NOT "payments"."outcome_counted";--> statement-breakpoint
CREATE UNIQUE INDEX "payments_reference" ON "payments" USING btree ("method","provider_reference","reference_scope");--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payment_automatic" CHECK (("payments"."card_id" IS NULL) = ("payments"."outcome_counted" IS NULL));--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payment_refunded" CHECK ("payments"."refunded_minor" BETWEEN 0 AND "payments"."amount_minor" AND "payments"."restored_minor" >= 0);--> statement-breakpoint

-- What went back may come back, by a dispute that was won: the two together never fall. The card stays with its payment.
CREATE OR REPLACE FUNCTION check_payment_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.account_id, NEW.method, NEW.currency, NEW.amount_minor, NEW.card_id, NEW.created_at)
    IS DISTINCT FROM (OLD.id, OLD.account_id, OLD.method, OLD.currency, OLD.amount_minor, OLD.card_id, OLD.created_at)
    OR NEW.refunded_minor + NEW.restored_minor < OLD.refunded_minor + OLD.restored_minor
    OR NEW.restored_minor < OLD.restored_minor
    OR (OLD.transaction_id IS NOT NULL
      AND (NEW.transaction_id, NEW.credit_nano, NEW.rub_per_usd, NEW.rate_date, NEW.margin_ppm, NEW.rub_kopecks, NEW.paid_at)
        IS DISTINCT FROM
        (OLD.transaction_id, OLD.credit_nano, OLD.rub_per_usd, OLD.rate_date, OLD.margin_ppm, OLD.rub_kopecks, OLD.paid_at))
  THEN
    RAISE EXCEPTION 'payment % refuses this change: what was ordered and booked stays', OLD.id
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint

-- What providers said stays, until its account is deleted: then only the body goes, because it names the customer.
DROP TRIGGER payment_events_append_only ON payment_events;--> statement-breakpoint
CREATE TRIGGER payment_events_append_only BEFORE DELETE OR TRUNCATE ON payment_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE FUNCTION is_payer_deleted(payment uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM payments JOIN accounts ON accounts.id = account_id
    WHERE payments.id = payment AND accounts.deleted_at IS NOT NULL)
$$;--> statement-breakpoint
CREATE FUNCTION check_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.payment_id, NEW.kind, NEW.received_at, NEW.body)
    IS DISTINCT FROM (OLD.id, OLD.payment_id, OLD.kind, OLD.received_at, '') OR NOT is_payer_deleted(OLD.payment_id)
  THEN
    RAISE EXCEPTION 'event % of payment % refuses this change: what was said is never taken back', OLD.id, OLD.payment_id
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER payment_events_change BEFORE UPDATE ON payment_events FOR EACH ROW EXECUTE FUNCTION check_event_change();--> statement-breakpoint

-- What is said about a deleted customer's payment is not stored with their data in the first place.
CREATE FUNCTION empty_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_payer_deleted(NEW.payment_id) THEN
    NEW.body = '';
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER payment_events_of_deleted BEFORE INSERT ON payment_events FOR EACH ROW EXECUTE FUNCTION empty_event();--> statement-breakpoint
CREATE TRIGGER bank_lines_stay BEFORE DELETE OR TRUNCATE ON bank_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE FUNCTION check_bank_line_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.bank_date, NEW.number, NEW.amount_kopecks, NEW.payer_account, NEW.created_at)
    IS DISTINCT FROM (OLD.id, OLD.bank_date, OLD.number, OLD.amount_kopecks, OLD.payer_account, OLD.created_at)
    OR (OLD.payment_id IS NOT NULL AND NEW.payment_id IS DISTINCT FROM OLD.payment_id)
  THEN
    RAISE EXCEPTION 'bank line % refuses this change: what the bank said stays', OLD.id
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER bank_lines_change BEFORE UPDATE ON bank_lines FOR EACH ROW EXECUTE FUNCTION check_bank_line_change();
