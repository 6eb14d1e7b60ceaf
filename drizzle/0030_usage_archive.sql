CREATE TABLE "archived_months" (
	"month" date PRIMARY KEY NOT NULL,
	"from_id" uuid NOT NULL,
	"until_id" uuid NOT NULL,
	"requests" bigint,
	"events" bigint,
	"charged_nano" bigint,
	"sha256" text,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "archived_positions" (
	"account_id" bigint NOT NULL,
	"epoch" bigint NOT NULL,
	"wallet_seq" bigint NOT NULL,
	CONSTRAINT "archived_positions_account_id_epoch_pk" PRIMARY KEY("account_id","epoch")
);
--> statement-breakpoint
CREATE TABLE "archived_usage" (
	"first_id" uuid PRIMARY KEY NOT NULL,
	"last_id" uuid NOT NULL,
	"month" date NOT NULL,
	"requests" integer NOT NULL,
	"events" integer NOT NULL,
	"charged_nano" bigint NOT NULL,
	"content" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE INDEX "archived_usage_month" ON "archived_usage" USING btree ("month");--> statement-breakpoint
ALTER TABLE archived_usage ALTER COLUMN content SET STORAGE EXTERNAL;--> statement-breakpoint
CREATE TRIGGER archived_usage_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON archived_usage
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER archived_months_stay BEFORE DELETE OR TRUNCATE ON archived_months
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- Nothing is added to a month while it is copied: what came too late would be lost with its partition. A trigger for rows,
-- because rows arrive through the parent.
CREATE FUNCTION freeze_partition(partition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE TRIGGER frozen BEFORE INSERT OR UPDATE OR DELETE ON %I '
    'FOR EACH ROW EXECUTE FUNCTION refuse_change()', partition);
END
$$;
