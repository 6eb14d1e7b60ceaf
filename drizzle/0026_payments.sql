CREATE TABLE "rates_of_days" (
	"day" date PRIMARY KEY NOT NULL,
	"date" date NOT NULL,
	"rub_per_usd" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "closed_months" (
	"account_id" bigint NOT NULL,
	"month" date NOT NULL,
	"through_line_id" bigint NOT NULL,
	"closed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "closed_months_account_id_month_pk" PRIMARY KEY("account_id","month")
);
--> statement-breakpoint
CREATE TABLE "lot_parts" (
	"lot_line_id" bigint NOT NULL,
	"month" date NOT NULL,
	"kind" text NOT NULL,
	"nano" bigint NOT NULL,
	"kopecks" bigint NOT NULL,
	CONSTRAINT "lot_parts_lot_line_id_month_kind_pk" PRIMARY KEY("lot_line_id","month","kind")
);
--> statement-breakpoint
CREATE TABLE "lot_progress" (
	"account_id" bigint PRIMARY KEY NOT NULL,
	"line_id" bigint NOT NULL,
	"spent_nano" bigint NOT NULL,
	"credits" bigint NOT NULL,
	"uncovered_nano" bigint NOT NULL,
	"counted_to" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lots" (
	"line_id" bigint PRIMARY KEY NOT NULL,
	"account_id" bigint NOT NULL,
	"payment_id" uuid,
	"nano" bigint NOT NULL,
	"kopecks" bigint NOT NULL,
	"used_nano" bigint DEFAULT 0 NOT NULL,
	"used_kopecks" bigint DEFAULT 0 NOT NULL,
	"returned_nano" bigint DEFAULT 0 NOT NULL,
	"returned_kopecks" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "lot_has_dollars" CHECK ("lots"."nano" > 0 AND "lots"."kopecks" BETWEEN 0 AND "lots"."nano"),
	CONSTRAINT "lot_has_roubles_if_paid" CHECK ("lots"."payment_id" IS NOT NULL OR "lots"."kopecks" = 0),
	CONSTRAINT "lot_never_below_zero" CHECK ("lots"."used_nano" >= 0 AND "lots"."returned_nano" >= 0 AND "lots"."used_nano" + "lots"."returned_nano" <= "lots"."nano"
        AND "lots"."used_kopecks" >= 0 AND "lots"."returned_kopecks" >= 0
        AND "lots"."used_kopecks" + "lots"."returned_kopecks" <= "lots"."kopecks"),
	CONSTRAINT "lot_parts_make_the_whole" CHECK ("lots"."used_nano" + "lots"."returned_nano" < "lots"."nano"
        OR "lots"."used_kopecks" + "lots"."returned_kopecks" = "lots"."kopecks")
);
--> statement-breakpoint
CREATE TABLE "payment_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "payment_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"payment_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"body" text NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payment_refunds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"amount_minor" bigint NOT NULL,
	"amount_nano" bigint NOT NULL,
	"owed_nano" bigint DEFAULT 0 NOT NULL,
	"reason" text NOT NULL,
	"provider_reference" text,
	"asked_at" timestamp with time zone,
	"problem" text,
	"transaction_id" bigint,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "refund_amounts" CHECK ("payment_refunds"."amount_minor" > 0 AND "payment_refunds"."amount_nano" >= 0 AND "payment_refunds"."owed_nano" >= 0),
	CONSTRAINT "refund_finished" CHECK (("payment_refunds"."status" = 'pending') = ("payment_refunds"."finished_at" IS NULL)),
	CONSTRAINT "refund_booked" CHECK ("payment_refunds"."transaction_id" IS NULL OR ("payment_refunds"."status" = 'succeeded' AND "payment_refunds"."amount_nano" > 0))
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" bigint NOT NULL,
	"method" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"currency" text NOT NULL,
	"amount_minor" bigint NOT NULL,
	"credit_nano" bigint NOT NULL,
	"rub_per_usd" bigint NOT NULL,
	"rate_date" date,
	"margin_ppm" bigint NOT NULL,
	"rub_kopecks" bigint NOT NULL,
	"refunded_minor" bigint DEFAULT 0 NOT NULL,
	"owed_nano" bigint DEFAULT 0 NOT NULL,
	"provider_reference" text,
	"claimed_reference" text,
	"confirmation_url" text,
	"return_url" text NOT NULL,
	"disputed_at" timestamp with time zone,
	"email" text NOT NULL,
	"problem" text,
	"transaction_id" bigint,
	"paid_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"next_ask_at" timestamp with time zone,
	"asks" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_amounts" CHECK ("payments"."amount_minor" > 0 AND "payments"."credit_nano" > 0 AND "payments"."rub_kopecks" > 0),
	CONSTRAINT "payment_refunded" CHECK ("payments"."refunded_minor" BETWEEN 0 AND "payments"."amount_minor"),
	CONSTRAINT "payment_owed" CHECK ("payments"."owed_nano" BETWEEN 0 AND "payments"."credit_nano"),
	CONSTRAINT "payment_booked" CHECK (("payments"."status" IN ('succeeded', 'refunded')) = ("payments"."transaction_id" IS NOT NULL)
        AND ("payments"."transaction_id" IS NULL OR "payments"."paid_at" IS NOT NULL)),
	CONSTRAINT "payment_refunded_whole" CHECK (("payments"."status" = 'refunded') = ("payments"."refunded_minor" = "payments"."amount_minor")
        AND ("payments"."refunded_minor" = 0 OR "payments"."transaction_id" IS NOT NULL))
);
--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "hold_id" uuid;--> statement-breakpoint
ALTER TABLE "closed_months" ADD CONSTRAINT "closed_months_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lot_parts" ADD CONSTRAINT "lot_parts_lot_line_id_lots_line_id_fk" FOREIGN KEY ("lot_line_id") REFERENCES "public"."lots"("line_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lot_progress" ADD CONSTRAINT "lot_progress_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lots" ADD CONSTRAINT "lots_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lots" ADD CONSTRAINT "lots_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_events" ADD CONSTRAINT "payment_events_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_refunds" ADD CONSTRAINT "payment_refunds_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "lots_payment" ON "lots" USING btree ("payment_id");--> statement-breakpoint
CREATE INDEX "lots_account" ON "lots" USING btree ("account_id","line_id");--> statement-breakpoint
CREATE INDEX "payment_events_payment" ON "payment_events" USING btree ("payment_id","id");--> statement-breakpoint
CREATE INDEX "payment_refunds_payment" ON "payment_refunds" USING btree ("payment_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "payment_refunds_pending" ON "payment_refunds" USING btree ("payment_id") WHERE "payment_refunds"."status" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "payment_refunds_transaction" ON "payment_refunds" USING btree ("transaction_id");--> statement-breakpoint
CREATE INDEX "payment_refunds_due" ON "payment_refunds" USING btree ("next_attempt_at") WHERE "payment_refunds"."status" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "payments_reference" ON "payments" USING btree ("method","provider_reference");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_transaction" ON "payments" USING btree ("transaction_id");--> statement-breakpoint
CREATE INDEX "payments_account" ON "payments" USING btree ("account_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "payments_due" ON "payments" USING btree ("next_ask_at") WHERE "payments"."next_ask_at" is not null;--> statement-breakpoint
CREATE INDEX "payments_status" ON "payments" USING btree ("status","id" DESC NULLS LAST);--> statement-breakpoint

-- What a payment was for never changes, and once it is booked nothing about its money does, except what goes back.
CREATE FUNCTION check_payment_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.account_id, NEW.method, NEW.currency, NEW.amount_minor, NEW.created_at)
    IS DISTINCT FROM (OLD.id, OLD.account_id, OLD.method, OLD.currency, OLD.amount_minor, OLD.created_at)
    OR NEW.refunded_minor < OLD.refunded_minor
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
CREATE TRIGGER payments_change BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION check_payment_change();--> statement-breakpoint
CREATE TRIGGER payments_stay BEFORE DELETE OR TRUNCATE ON payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER payment_refunds_stay BEFORE DELETE OR TRUNCATE ON payment_refunds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER payment_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER closed_months_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON closed_months
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- At commit, the parts of a lot sum to what the lot says was used and returned.
CREATE FUNCTION check_lot_parts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lot lots;
  parts numeric[];
BEGIN
  SELECT * INTO lot FROM lots WHERE line_id = NEW.line_id;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  SELECT ARRAY[
    coalesce(sum(nano) FILTER (WHERE kind = 'usage'), 0), coalesce(sum(kopecks) FILTER (WHERE kind = 'usage'), 0),
    coalesce(sum(nano) FILTER (WHERE kind = 'return'), 0), coalesce(sum(kopecks) FILTER (WHERE kind = 'return'), 0)]
  INTO parts FROM lot_parts WHERE lot_line_id = lot.line_id;
  IF parts <> ARRAY[lot.used_nano, lot.used_kopecks, lot.returned_nano, lot.returned_kopecks]::numeric[] THEN
    RAISE EXCEPTION 'lot %: its parts sum to %', lot.line_id, parts USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER lots_have_their_parts AFTER INSERT OR UPDATE ON lots
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_lot_parts();--> statement-breakpoint
CREATE FUNCTION touch_lot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE lots SET used_nano = used_nano WHERE line_id = COALESCE(NEW.lot_line_id, OLD.lot_line_id);
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER lot_parts_touch AFTER INSERT OR UPDATE OR DELETE ON lot_parts
  FOR EACH ROW EXECUTE FUNCTION touch_lot();
