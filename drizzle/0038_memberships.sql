CREATE TABLE "memberships" (
	"account_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memberships_account_id_user_id_pk" PRIMARY KEY("account_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "created_by" bigint;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "memberships_user" ON "memberships" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint

ALTER TABLE memberships ADD CONSTRAINT memberships_role CHECK (role IN ('owner', 'admin', 'finance', 'member', 'auditor'));--> statement-breakpoint
-- An account has been one person's until now. Admins of version 0.1.0 still insert users beside this one, so it is a trigger
-- that makes each the owner.
CREATE FUNCTION make_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO memberships (account_id, user_id, role) VALUES (NEW.account_id, NEW.id, 'owner');
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER users_own_their_account AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION make_owner();--> statement-breakpoint
INSERT INTO memberships (account_id, user_id, role, created_at) SELECT account_id, id, 'owner', created_at FROM users;
