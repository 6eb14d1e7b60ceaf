-- What makes the ledger immutable and balanced, whoever writes to it.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'table % is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER journals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON journals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER ledger_lines_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER usage_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON usage_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER catalogue_versions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON catalogue_versions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER model_prices_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON model_prices
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint

-- A journal is closed with the transaction that made it: lines cannot be added later. Together with the check at
-- commit below, every journal in the table balances, at the cost of one sum a journal instead of one a line.
CREATE FUNCTION refuse_late_lines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM new_lines JOIN journals ON journals.id = new_lines.journal_id
    WHERE journals.made_by <> pg_current_xact_id()
  ) THEN
    RAISE EXCEPTION 'a journal takes lines only in the transaction that made it' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER ledger_lines_with_their_journal AFTER INSERT ON ledger_lines
  REFERENCING NEW TABLE AS new_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_late_lines();
--> statement-breakpoint
CREATE FUNCTION check_journal_balances() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference numeric;
BEGIN
  SELECT coalesce(sum(amount_nano), 0) INTO difference FROM ledger_lines WHERE journal_id = NEW.id;
  IF difference <> 0 THEN
    RAISE EXCEPTION 'journal % does not balance: its lines sum to % nano-USD', NEW.id, difference
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER journals_balance AFTER INSERT ON journals
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_journal_balances();
