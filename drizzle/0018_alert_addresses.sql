CREATE TABLE "alert_addresses" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_addresses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" bigint NOT NULL,
	"email" text NOT NULL,
	"stop_token" text DEFAULT gen_random_uuid()::text NOT NULL,
	"confirmed_at" timestamp with time zone,
	"stopped_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "mails" ADD COLUMN "account_id" bigint;--> statement-breakpoint
ALTER TABLE "alert_addresses" ADD CONSTRAINT "alert_addresses_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "alert_addresses_email" ON "alert_addresses" USING btree ("account_id",lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "alert_addresses_stop_token" ON "alert_addresses" USING btree ("stop_token");--> statement-breakpoint
CREATE INDEX "mails_account" ON "mails" USING btree ("account_id","id");