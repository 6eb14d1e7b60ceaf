ALTER TABLE "accounts" ADD COLUMN "ownership" text DEFAULT 'proven' NOT NULL;
--> statement-breakpoint
-- Accounts that exist keep working keys: none becomes `unproven`, and all that were ever credited, whose address is
-- verified or that an operator made are `proven`. The rest may have been made by anybody with a stranger's address, and
-- none of them can have sent a request yet. They are `uncertain`: the first mailed link that somebody follows who is
-- not logged in deactivates their keys. An account that the version before signs up during the upgrade counts as proven.
UPDATE "accounts" SET "ownership" = 'uncertain'
WHERE "credit_seq" = 0
  AND EXISTS (SELECT FROM "users" WHERE "account_id" = "accounts"."id" AND "role" = 'customer')
  AND NOT EXISTS (SELECT FROM "users" WHERE "account_id" = "accounts"."id" AND "email_verified_at" IS NOT NULL)
  AND NOT EXISTS (SELECT FROM "audit_entries" WHERE "account_id" = "accounts"."id" AND "action" = 'user.create');
