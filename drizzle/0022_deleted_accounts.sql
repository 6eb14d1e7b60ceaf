ALTER TABLE "alert_addresses" ALTER COLUMN "stop_token" SET DATA TYPE text;--> statement-breakpoint
ALTER TABLE "alert_addresses" ALTER COLUMN "stop_token" SET DEFAULT gen_random_uuid()::text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "deleted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deleted_at" timestamp with time zone;--> statement-breakpoint

-- What operators did stays as it was written. A deleted person's e-mail and network addresses may be taken out of it, and
-- nothing else may change: `user 5` takes the place of a name, so that the entries of one person still belong together.
DROP TRIGGER audit_entries_append_only ON audit_entries;--> statement-breakpoint
CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE FUNCTION allow_only_to_forget() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  personal CONSTANT text[] := ARRAY['email', 'recipient'];
  expected audit_entries := OLD;
BEGIN
  IF NEW.actor = 'user ' || OLD.user_id THEN
    expected.actor := NEW.actor;
  END IF;
  IF NEW.address IS NULL THEN
    expected.address := NULL;
  END IF;
  IF NEW.before = OLD.before - personal THEN
    expected.before := NEW.before;
  END IF;
  IF NEW.after = OLD.after - personal THEN
    expected.after := NEW.after;
  END IF;
  IF NEW IS DISTINCT FROM expected THEN
    RAISE EXCEPTION 'table % refuses %: what it says is never taken back', TG_TABLE_NAME, TG_OP
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER audit_entries_forget BEFORE UPDATE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION allow_only_to_forget();--> statement-breakpoint
DROP TRIGGER repairs_append_only ON repairs;--> statement-breakpoint
CREATE TRIGGER repairs_append_only BEFORE DELETE OR TRUNCATE ON repairs
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE FUNCTION allow_only_to_forget_operator() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  expected repairs := OLD;
BEGIN
  IF NEW.repaired_by ~ '^user \d+$' THEN
    expected.repaired_by := NEW.repaired_by;
  END IF;
  IF NEW IS DISTINCT FROM expected THEN
    RAISE EXCEPTION 'table % refuses %: what it says is never taken back', TG_TABLE_NAME, TG_OP
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER repairs_forget BEFORE UPDATE ON repairs
  FOR EACH ROW EXECUTE FUNCTION allow_only_to_forget_operator();
