CREATE TABLE "exchange_rates" (
	"date" date PRIMARY KEY NOT NULL,
	"rub_per_usd" bigint NOT NULL,
	"read_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mails_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_key" uuid DEFAULT gen_random_uuid() NOT NULL,
	"recipient" text NOT NULL,
	"language" text NOT NULL,
	"kind" text NOT NULL,
	"data" jsonb,
	"state" text DEFAULT 'queued' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"give_up_at" timestamp with time zone DEFAULT now() + interval '3 days' NOT NULL,
	"last_error" text,
	"response" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "balance_alerts" (
	"account_id" bigint PRIMARY KEY NOT NULL,
	"below" boolean NOT NULL,
	"owed" boolean NOT NULL,
	"alerted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "notification_settings" (
	"account_id" bigint PRIMARY KEY NOT NULL,
	"email_enabled" boolean DEFAULT true NOT NULL,
	"threshold_kopecks" bigint DEFAULT 50000 NOT NULL,
	"interval_hours" integer DEFAULT 24 NOT NULL,
	"language" text DEFAULT 'ru' NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "balance_alerts" ADD CONSTRAINT "balance_alerts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mails_queued" ON "mails" USING btree ("next_attempt_at") WHERE "mails"."state" = 'queued';--> statement-breakpoint
CREATE INDEX "mails_state" ON "mails" USING btree ("state","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "balance_alerts_owed" ON "balance_alerts" USING btree ("account_id") WHERE "balance_alerts"."owed";