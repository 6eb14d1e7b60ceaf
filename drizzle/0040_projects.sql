CREATE TABLE "key_assignments" (
	"id" bigint PRIMARY KEY NOT NULL,
	"key_id" bigint NOT NULL,
	"project_id" bigint,
	"user_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "key_assignments_unique" UNIQUE NULLS NOT DISTINCT("key_id","project_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "projects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" bigint NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"cost_center" text,
	"archived_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "project_id" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "assignment_id" bigint;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "assignment_id" bigint;--> statement-breakpoint
ALTER TABLE "key_assignments" ADD CONSTRAINT "key_assignments_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_assignments" ADD CONSTRAINT "key_assignments_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_assignments" ADD CONSTRAINT "key_assignments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "projects_name_unique" ON "projects" USING btree ("account_id",lower("name")) WHERE archived_at is null;--> statement-breakpoint
CREATE INDEX "projects_account" ON "projects" USING btree ("account_id","id");--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_project" ON "api_keys" USING btree ("project_id");--> statement-breakpoint

-- Charges are attributed to them for good.
CREATE TRIGGER key_assignments_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON key_assignments
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
-- What charges are attributed to, by the number that usage has: also for keys that were never moved.
CREATE VIEW assignments AS
SELECT key_assignments.id, key.account_id, key_assignments.key_id, key_assignments.project_id, key_assignments.user_id
FROM key_assignments JOIN api_keys AS key ON key.id = key_assignments.key_id
UNION ALL
SELECT key.id, key.account_id, key.id, key.project_id, key.created_by
FROM api_keys AS key WHERE NOT EXISTS (SELECT FROM key_assignments WHERE key_assignments.id = key.id);--> statement-breakpoint
-- What members wrote about projects is theirs, too.
CREATE OR REPLACE FUNCTION allow_only_to_forget() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  personal CONSTANT text[] := ARRAY['email', 'name', 'recipient', 'description', 'costCenter'];
  expected audit_entries := OLD;
BEGIN
  IF NEW.actor = 'user ' || OLD.user_id THEN
    expected.actor := NEW.actor;
  END IF;
  IF NEW.address IS NULL THEN
    expected.address := NULL;
  END IF;
  IF OLD.before @> NEW.before AND NEW.before - personal = OLD.before - personal THEN
    expected.before := NEW.before;
  END IF;
  IF OLD.after @> NEW.after AND NEW.after - personal = OLD.after - personal THEN
    expected.after := NEW.after;
  END IF;
  IF NEW IS DISTINCT FROM expected THEN
    RAISE EXCEPTION 'table % refuses %: what it says is never taken back', TG_TABLE_NAME, TG_OP
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;
