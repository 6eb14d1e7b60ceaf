-- What makes the ledger immutable and balanced, whoever writes to it.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'table % refuses %: what it says is never taken back', TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'restrict_violation';
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
-- The same look at a statement's lines stands in for foreign keys. Those cost two lookups and two row locks a line, and
-- would make whoever adds a partition wait for every posting that runs; neither journals nor accounts can be deleted.
-- Each lookup is a scalar subquery, so that no plan can turn it into a scan of a large table.
CREATE FUNCTION check_new_lines() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong bigint;
BEGIN
  SELECT journal_id INTO wrong FROM (SELECT DISTINCT journal_id FROM new_lines) AS named
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
$$;
--> statement-breakpoint
CREATE TRIGGER ledger_lines_checked AFTER INSERT ON ledger_lines
  REFERENCING NEW TABLE AS new_lines FOR EACH STATEMENT EXECUTE FUNCTION check_new_lines();
--> statement-breakpoint
CREATE TRIGGER accounts_stay BEFORE DELETE OR TRUNCATE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
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
--> statement-breakpoint

-- The only way in which partitions are made. Triggers for statements guard the table that the statement names, so a
-- partition needs its parent's guards of its own; without them it could be changed by naming it.
CREATE FUNCTION make_partition(parent text, partition text, bounds text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE %I PARTITION OF %I %s', partition, parent, bounds);
  IF parent IN ('ledger_lines', 'usage_events') THEN
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I '
      'FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', partition);
  END IF;
  IF parent = 'ledger_lines' THEN
    EXECUTE format('CREATE TRIGGER checked AFTER INSERT ON %I '
      'REFERENCING NEW TABLE AS new_lines FOR EACH STATEMENT EXECUTE FUNCTION check_new_lines()', partition);
  END IF;
END
$$;
--> statement-breakpoint

-- What belongs to no month that has a partition goes here, so that nothing is ever refused.
SELECT make_partition(parent, parent || '_default', 'DEFAULT')
FROM unnest(ARRAY['ledger_lines', 'usage_events', 'usage_requests']) AS parent;
--> statement-breakpoint

-- Balances change with every batch: free room on the page keeps the new version beside the old one, without an entry in
-- the index.
ALTER TABLE accounts SET (fillfactor = 50);
