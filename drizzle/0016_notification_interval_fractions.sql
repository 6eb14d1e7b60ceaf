ALTER TABLE "notification_settings" ALTER COLUMN "interval_hours" SET DATA TYPE double precision;--> statement-breakpoint
ALTER TABLE "notification_settings" ALTER COLUMN "interval_hours" SET DEFAULT 24;--> statement-breakpoint
-- During a rolling upgrade the version before books charges with `make_interval(hours => interval_hours)`, which Postgres
-- has for whole hours only. With this one it goes on, also after a rollback; a later migration can drop it.
CREATE FUNCTION make_interval(hours double precision) RETURNS interval LANGUAGE sql IMMUTABLE
  RETURN pg_catalog.make_interval(secs => least(hours, 876000) * 3600);
