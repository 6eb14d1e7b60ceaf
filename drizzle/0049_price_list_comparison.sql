CREATE TABLE "retirement_mails" (
	"account_id" bigint NOT NULL,
	"model" text NOT NULL,
	"retires_at" date NOT NULL,
	"days_ahead" smallint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "retirement_mails_account_id_model_retires_at_days_ahead_pk" PRIMARY KEY("account_id","model","retires_at","days_ahead")
);
--> statement-breakpoint
ALTER TABLE "retirement_mails" ADD CONSTRAINT "retirement_mails_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;