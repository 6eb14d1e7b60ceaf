DROP INDEX "documents_number";--> statement-breakpoint
ALTER TABLE "documents" ADD COLUMN "correction_number" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "documents" ADD COLUMN "correction_date" date;--> statement-breakpoint
CREATE UNIQUE INDEX "documents_number" ON "documents" USING btree ("type","year","number","correction_number");--> statement-breakpoint
ALTER TABLE "documents" ADD CONSTRAINT "document_correction" CHECK (("documents"."correction_number" > 0) = ("documents"."correction_date" IS NOT NULL)
        AND ("documents"."correction_number" = 0 OR "documents"."corrects_id" IS NOT NULL));--> statement-breakpoint

-- A numbered correction has the number and the day of what it corrects; any other number comes from the counter.
CREATE OR REPLACE FUNCTION check_number_taken() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.correction_number > 0 THEN
    IF NOT EXISTS (
      SELECT FROM documents AS former
      WHERE former.id = NEW.corrects_id
        AND (former.account_id, former.type, former.number, former.date, former.correction_number + 1)
          = (NEW.account_id, NEW.type, NEW.number, NEW.date, NEW.correction_number)) THEN
      RAISE EXCEPTION 'correction % of % in % does not follow what it corrects', NEW.correction_number, NEW.type, NEW.year
        USING ERRCODE = 'restrict_violation';
    END IF;
  ELSIF NEW.number IS DISTINCT FROM (SELECT last FROM document_counters WHERE type = NEW.type AND year = NEW.year) THEN
    RAISE EXCEPTION 'number % of % in % was not taken from the counter', NEW.number, NEW.type, NEW.year
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;
