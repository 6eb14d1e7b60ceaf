ALTER TABLE "model_prices" ADD COLUMN "provider_search_pico" bigint;--> statement-breakpoint
ALTER TABLE "model_prices" ADD COLUMN "search_pico" bigint;--> statement-breakpoint
ALTER TABLE "dimension_totals" ADD COLUMN "searches" bigint;--> statement-breakpoint
ALTER TABLE "usage_totals" ADD COLUMN "searches" bigint;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "searches" integer;--> statement-breakpoint

-- As before, and for charges of rankings.
CREATE FUNCTION describe_charge(
  model text, rank smallint, estimated boolean, images integer, variant text, characters integer, audio_seconds integer,
  searches integer, prompt integer, completion integer
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN model = 'recovered-charges' THEN 'requests whose receipts were lost when the database was restored'
    ELSE model || ': ' || CASE
      WHEN images = 1 THEN '1 image (' || variant || ')'
      WHEN images > 1 THEN images || ' images (' || variant || ')'
      WHEN characters = 1 THEN '1 character'
      WHEN characters > 1 THEN to_char(characters, 'FM9,999,999,999') || ' characters'
      WHEN audio_seconds = 1 THEN '1 second of audio'
      WHEN audio_seconds > 1 THEN to_char(audio_seconds, 'FM9,999,999,999') || ' seconds of audio'
      WHEN searches = 1 THEN '1 search'
      WHEN searches > 1 THEN to_char(searches, 'FM9,999,999,999') || ' searches'
      ELSE prompt || ' prompt + ' || completion || ' completion tokens'
    END || CASE WHEN rank = 1 THEN ' (estimated, may be corrected)' WHEN estimated THEN ' (estimated)' ELSE '' END
  END
$$;--> statement-breakpoint
CREATE OR REPLACE VIEW compact_lines AS
  SELECT line_id AS id, journal_id, 'wallet' AS book, account_id, -booked_nano AS amount_nano, 'usage' AS type,
    describe_charge(
      model, rank, estimated, images, variant, characters, audio_seconds, searches, prompt_tokens, completion_tokens
    ) AS description,
    request_id, model, charged_at AS created_at
  FROM usage_events WHERE journal_id IS NOT NULL;--> statement-breakpoint
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
      'describe_charge(model, rank, estimated, images, variant, characters, audio_seconds, searches, '
      'prompt_tokens, completion_tokens), '
      'request_id, model, true, charged_at FROM %I '
      'WHERE journal_id IS NOT NULL AND to_char(charged_at AT TIME ZONE ''UTC'', ''YYYY-MM'') = %L',
      target, events, month);
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', target);
  END LOOP;
END
$$;--> statement-breakpoint
DROP FUNCTION describe_charge(text, smallint, boolean, integer, text, integer, integer, integer, integer);
