CREATE TABLE "budgets" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "budgets_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" bigint NOT NULL,
	"level" text NOT NULL,
	"scope_id" bigint NOT NULL,
	"period" text NOT NULL,
	"amount_nano" bigint NOT NULL,
	"alerts_at" smallint[] NOT NULL,
	"window_start" timestamp with time zone,
	"spent_nano" bigint DEFAULT 0 NOT NULL,
	"alerted_percent" smallint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "budgets_unique" UNIQUE("account_id","level","scope_id","period")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "spend_limit_week_nano" bigint;--> statement-breakpoint
ALTER TABLE "budgets" ADD CONSTRAINT "budgets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;