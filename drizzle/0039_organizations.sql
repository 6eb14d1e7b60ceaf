CREATE TABLE "invitations" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "invitations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" bigint NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"token_hash" text NOT NULL,
	"invited_by" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organization_settings" (
	"account_id" bigint PRIMARY KEY NOT NULL,
	"name" text,
	"time_zone" text DEFAULT 'UTC' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD COLUMN "account_id" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "last_account_id" bigint;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "is_member" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "mail_tokens" ADD COLUMN "account_id" bigint;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_settings" ADD CONSTRAINT "organization_settings_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_hash_unique" ON "invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_address_unique" ON "invitations" USING btree ("account_id",lower("email"));--> statement-breakpoint
CREATE INDEX "invitations_expiry" ON "invitations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "organization_settings_name_search" ON "organization_settings" USING gin (lower("name") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "audit_entries_operators" ON "audit_entries" USING btree ("id" DESC NULLS LAST) WHERE NOT "audit_entries"."is_member";--> statement-breakpoint

ALTER TABLE invitations ADD CONSTRAINT invitations_role CHECK (role IN ('owner', 'admin', 'finance', 'member', 'auditor'));--> statement-breakpoint
CREATE VIEW organizations AS
SELECT accounts.id, coalesce(settings.name, company.company_name, company.full_name, contact.email) AS name,
  coalesce(settings.time_zone, 'UTC') AS time_zone,
  contact.id AS contact_id, contact.email AS contact_email
FROM accounts
LEFT JOIN organization_settings AS settings ON settings.account_id = accounts.id
LEFT JOIN company_details AS company ON company.account_id = accounts.id
LEFT JOIN LATERAL (
  SELECT users.id, users.email FROM memberships JOIN users ON users.id = memberships.user_id
  WHERE memberships.account_id = accounts.id AND memberships.role = 'owner' AND users.deleted_at IS NULL
  ORDER BY memberships.created_at, users.id LIMIT 1
) AS contact ON true;--> statement-breakpoint
-- What members have named is theirs, too.
CREATE OR REPLACE FUNCTION allow_only_to_forget() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  personal CONSTANT text[] := ARRAY['email', 'name', 'recipient'];
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
