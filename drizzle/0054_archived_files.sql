CREATE TABLE "archived_journals" (
	"journal_id" bigint NOT NULL,
	"month" date NOT NULL,
	"amount_nano" bigint NOT NULL,
	CONSTRAINT "archived_journals_journal_id_month_pk" PRIMARY KEY("journal_id","month")
);
--> statement-breakpoint
ALTER TABLE "archived_months" ADD COLUMN "first_charged_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "archived_months" ADD COLUMN "last_charged_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "archived_months" ADD COLUMN "file" text;--> statement-breakpoint
ALTER TABLE "archived_months" ADD COLUMN "file_bytes" bigint;--> statement-breakpoint

-- What was archived is not changed afterwards. While a month is being archived, its row is.
CREATE FUNCTION refuse_change_of_archive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.finished_at IS NOT NULL THEN
    RAISE EXCEPTION 'the archive of % is never changed', OLD.month USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER archived_months_unchanged BEFORE UPDATE ON archived_months
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_archive();--> statement-breakpoint

-- Charges that were read from a file, in the form of the view: the lines that they have in the ledger.
CREATE FUNCTION archived_lines(charges jsonb) RETURNS SETOF compact_lines LANGUAGE sql STABLE AS $$
  SELECT line_id, journal_id, 'wallet', account_id, -booked_nano, 'usage',
    describe_charge(
      model, rank, estimated, images, variant, characters, audio_seconds, searches, prompt_tokens, completion_tokens
    ),
    request_id, model, charged_at
  FROM jsonb_populate_recordset(NULL::usage_events, charges) WHERE journal_id IS NOT NULL
$$;--> statement-breakpoint

CREATE TRIGGER archived_journals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON archived_journals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- Charges that leave Postgres take their lines with them.
DROP FUNCTION keep_compact_lines(text);
