CREATE TABLE "seal_checks" (
	"month" date PRIMARY KEY NOT NULL,
	"checked_at" timestamp with time zone NOT NULL,
	"problems" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sealed_accounts" (
	"month" date NOT NULL,
	"account_id" bigint NOT NULL,
	"balance_nano" bigint NOT NULL,
	"end_balance_nano" bigint NOT NULL,
	"credited_nano" bigint NOT NULL,
	CONSTRAINT "sealed_accounts_month_account_id_pk" PRIMARY KEY("month","account_id")
);
--> statement-breakpoint
CREATE TABLE "sealed_blocks" (
	"month" date NOT NULL,
	"part" text NOT NULL,
	"number" integer NOT NULL,
	"last_key" text NOT NULL,
	"rows" integer NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "sealed_blocks_month_part_number_pk" PRIMARY KEY("month","part","number")
);
--> statement-breakpoint
CREATE TABLE "sealed_months" (
	"month" date PRIMARY KEY NOT NULL,
	"from_id" uuid NOT NULL,
	"until_id" uuid NOT NULL,
	"format" smallint NOT NULL,
	"columns" jsonb NOT NULL,
	"lines" bigint,
	"events" bigint,
	"previous_hash" text NOT NULL,
	"hash" text,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "ledger_lines" ADD COLUMN "is_archived_charge" boolean DEFAULT false NOT NULL;--> statement-breakpoint

CREATE FUNCTION refuse_change_of_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.finished_at IS NOT NULL THEN
    RAISE EXCEPTION 'the seal of % is never changed', OLD.month USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER sealed_months_unchanged BEFORE UPDATE ON sealed_months
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_seal();--> statement-breakpoint
CREATE TRIGGER sealed_months_stay BEFORE DELETE OR TRUNCATE ON sealed_months
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER sealed_blocks_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON sealed_blocks
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER sealed_accounts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON sealed_accounts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- As before, and the lines say that they belong to the sealed month of their events. Their own month may be sealed too.
CREATE OR REPLACE FUNCTION keep_compact_lines(events text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month text;
  target text;
BEGIN
  FOR month IN EXECUTE format(
    'SELECT DISTINCT to_char(charged_at AT TIME ZONE ''UTC'', ''YYYY-MM'') FROM %I WHERE journal_id IS NOT NULL', events)
  LOOP
    target := 'ledger_lines_' || replace(month, '-', '_');
    IF to_regclass(target) IS NULL THEN
      target := 'ledger_lines_default';
    END IF;
    EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', target);
    EXECUTE format('INSERT INTO %I '
      '(id, journal_id, book, account_id, amount_nano, type, description, request_id, model, is_archived_charge, created_at) '
      'OVERRIDING SYSTEM VALUE SELECT line_id, journal_id, ''wallet'', account_id, -booked_nano, ''usage'', '
      'describe_charge(model, rank, estimated, images, variant, prompt_tokens, completion_tokens), '
      'request_id, model, true, charged_at FROM %I '
      'WHERE journal_id IS NOT NULL AND to_char(charged_at AT TIME ZONE ''UTC'', ''YYYY-MM'') = %L',
      target, events, month);
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', target);
  END LOOP;
END
$$;
