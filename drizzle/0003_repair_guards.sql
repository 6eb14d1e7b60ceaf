-- What was repaired, why and by whom stays as it was written.

CREATE TRIGGER repairs_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON repairs
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
