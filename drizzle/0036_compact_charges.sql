CREATE TABLE "ledger_settings" (
	"compact" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "booked_nano" bigint;--> statement-breakpoint
-- Its index may have been built before: see admin/database/build-indexes.ts.
ALTER TABLE "usage_events" ADD COLUMN IF NOT EXISTS "journal_id" bigint;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "line_id" bigint;--> statement-breakpoint
CREATE INDEX "usage_events_journal" ON "usage_events" USING btree ("journal_id") WHERE "usage_events"."journal_id" IS NOT NULL;--> statement-breakpoint
-- True for a database that is being made: see admin/database/migrate.ts.
INSERT INTO ledger_settings (compact) VALUES (false);--> statement-breakpoint
CREATE TRIGGER ledger_settings_stay BEFORE DELETE OR TRUNCATE ON ledger_settings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- Not validated: rows that are there have none of these columns, and need not be read.
ALTER TABLE usage_events ADD CONSTRAINT usage_events_line CHECK (
  (journal_id IS NULL) = (coalesce(booked_nano, 0) = 0) AND (line_id IS NULL) = (journal_id IS NULL)
) NOT VALID;--> statement-breakpoint

CREATE FUNCTION describe_charge(
  model text, rank smallint, estimated boolean, images integer, variant text, prompt integer, completion integer
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN model = 'recovered-charges' THEN 'requests whose receipts were lost when the database was restored'
    ELSE model || ': ' || CASE
      WHEN images = 1 THEN '1 image (' || variant || ')'
      WHEN images > 1 THEN images || ' images (' || variant || ')'
      ELSE prompt || ' prompt + ' || completion || ' completion tokens'
    END || CASE WHEN rank = 1 THEN ' (estimated, may be corrected)' WHEN estimated THEN ' (estimated)' ELSE '' END
  END
$$;--> statement-breakpoint

-- Compact charges as lines.
CREATE VIEW compact_lines AS
  SELECT line_id AS id, journal_id, 'wallet' AS book, account_id, -booked_nano AS amount_nano, 'usage' AS type,
    describe_charge(model, rank, estimated, images, variant, prompt_tokens, completion_tokens) AS description,
    request_id, model, charged_at AS created_at
  FROM usage_events WHERE journal_id IS NOT NULL;--> statement-breakpoint

-- Every line of every journal.
CREATE VIEW journal_lines AS
  SELECT id, journal_id, book, account_id, amount_nano, type, description, request_id, model, created_at
  FROM ledger_lines
  UNION ALL
  SELECT * FROM compact_lines;--> statement-breakpoint

-- What each request has been charged so far.
CREATE VIEW charged_requests AS
  SELECT request_id, account_id, rank, charged_nano FROM usage_requests
  UNION ALL
  SELECT request_id, account_id, rank, cost_nano FROM usage_events AS event
  WHERE rank = 2 AND booked_nano IS NOT NULL
    AND NOT EXISTS (SELECT FROM usage_requests AS head WHERE head.request_id = event.request_id);--> statement-breakpoint

-- The rules of lines hold for compact charges too. What is not a line names no journal.
CREATE OR REPLACE FUNCTION check_new_lines() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong bigint;
BEGIN
  SELECT journal_id INTO wrong FROM (SELECT DISTINCT journal_id FROM new_lines WHERE journal_id IS NOT NULL) AS named
  WHERE (SELECT made_by FROM journals WHERE id = journal_id) IS DISTINCT FROM pg_current_xact_id() LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'journal % takes lines only in the transaction that made it', wrong
      USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT account_id INTO wrong FROM (SELECT DISTINCT account_id FROM new_lines WHERE account_id IS NOT NULL) AS named
  WHERE (SELECT id FROM accounts WHERE id = account_id) IS NULL LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'there is no account %', wrong USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION check_journal_balances() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference numeric;
BEGIN
  SELECT coalesce(sum(amount_nano), 0) INTO difference FROM journal_lines WHERE journal_id = NEW.id;
  IF difference <> 0 THEN
    RAISE EXCEPTION 'journal % does not balance: its lines sum to % nano-USD', NEW.id, difference
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION make_partition(parent text, partition text, bounds text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE %I PARTITION OF %I %s', partition, parent, bounds);
  IF parent IN ('ledger_lines', 'usage_events') THEN
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I '
      'FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', partition);
    EXECUTE format('CREATE TRIGGER checked AFTER INSERT ON %I '
      'REFERENCING NEW TABLE AS new_lines FOR EACH STATEMENT EXECUTE FUNCTION check_new_lines()', partition);
  END IF;
END
$$;--> statement-breakpoint
DO $$
DECLARE
  partition regclass;
BEGIN
  FOR partition IN
    SELECT inhrelid FROM pg_inherits WHERE inhparent = 'usage_events'::regclass
    UNION ALL SELECT 'usage_events'::regclass
  LOOP
    EXECUTE format('CREATE TRIGGER checked AFTER INSERT ON %s '
      'REFERENCING NEW TABLE AS new_lines FOR EACH STATEMENT EXECUTE FUNCTION check_new_lines()', partition);
  END LOOP;
END
$$;--> statement-breakpoint

-- Before the usage of a month is archived, its compact charges become rows of ledger_lines: the ledger keeps its lines.
-- They are inserted into the partitions by name, where the trigger that refuses lines of earlier journals is off for this
-- transaction. That locks the partition against other writers, of which a month long past has none.
CREATE FUNCTION keep_compact_lines(events text) RETURNS void LANGUAGE plpgsql AS $$
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
    EXECUTE format('ALTER TABLE %I DISABLE TRIGGER checked', target);
    EXECUTE format('INSERT INTO %I '
      '(id, journal_id, book, account_id, amount_nano, type, description, request_id, model, created_at) '
      'OVERRIDING SYSTEM VALUE SELECT line_id, journal_id, ''wallet'', account_id, -booked_nano, ''usage'', '
      'describe_charge(model, rank, estimated, images, variant, prompt_tokens, completion_tokens), '
      'request_id, model, charged_at FROM %I '
      'WHERE journal_id IS NOT NULL AND to_char(charged_at AT TIME ZONE ''UTC'', ''YYYY-MM'') = %L',
      target, events, month);
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER checked', target);
  END LOOP;
END
$$;
