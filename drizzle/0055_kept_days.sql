CREATE TABLE "usage_days" (
	"account_id" bigint NOT NULL,
	"grouping" text NOT NULL,
	"starts" timestamp with time zone NOT NULL,
	"ends" timestamp with time zone NOT NULL,
	"epoch" bigint NOT NULL,
	"sums" jsonb NOT NULL,
	CONSTRAINT "usage_days_account_id_grouping_starts_ends_pk" PRIMARY KEY("account_id","grouping","starts","ends")
);
--> statement-breakpoint
CREATE TABLE "usage_epochs" (
	"account_id" bigint NOT NULL,
	"month" date NOT NULL,
	"epoch" bigint NOT NULL,
	CONSTRAINT "usage_epochs_account_id_month_pk" PRIMARY KEY("account_id","month")
);
--> statement-breakpoint

-- Sums of days that are over are kept for charts. Whoever changes the totals of such a day, also a version that knows nothing of
-- them, makes them out of date. A day later is soon enough: no day is kept before it has been over for two.
CREATE FUNCTION note_late_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage_epochs (account_id, month, epoch)
  VALUES (NEW.account_id, date_trunc('month', NEW.bucket_15m AT TIME ZONE 'UTC')::date, 1)
  ON CONFLICT (account_id, month) DO UPDATE SET epoch = usage_epochs.epoch + 1;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER late_totals AFTER INSERT OR UPDATE ON usage_totals
  FOR EACH ROW WHEN (NEW.bucket_15m < now() - interval '1 day') EXECUTE FUNCTION note_late_totals();
