CREATE TABLE "document_files" (
	"document_id" uuid PRIMARY KEY NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "document_files" ADD CONSTRAINT "document_files_document_id_documents_id_fk" FOREIGN KEY ("document_id") REFERENCES "public"."documents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payment_events_purge" ON "payment_events" USING btree ("received_at") WHERE "payment_events"."kind" = 'notification';--> statement-breakpoint
-- PDFs are compressed already.
ALTER TABLE "document_files" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;--> statement-breakpoint

-- What was sent or downloaded once never changes.
CREATE TRIGGER document_files_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON document_files
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- Notifications may be purged after 90 days; answers and confirmations stay.
DROP TRIGGER payment_events_append_only ON payment_events;--> statement-breakpoint
CREATE TRIGGER payment_events_append_only BEFORE TRUNCATE ON payment_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE FUNCTION check_event_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.kind <> 'notification' OR OLD.received_at > now() - interval '90 days' THEN
    RAISE EXCEPTION 'table payment_events refuses DELETE: what was said is never taken back'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END
$$;--> statement-breakpoint
CREATE TRIGGER payment_events_deletion BEFORE DELETE ON payment_events FOR EACH ROW EXECUTE FUNCTION check_event_deletion();
