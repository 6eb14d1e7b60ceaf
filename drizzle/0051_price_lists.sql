CREATE TABLE "price_list_checks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "price_list_checks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"url" text NOT NULL,
	"state" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"error" text,
	"comparison" jsonb,
	"applied" jsonb,
	"applied_version" bigint,
	"is_announced" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "retirement_mails" (
	"account_id" bigint NOT NULL,
	"model" text NOT NULL,
	"retires_at" date NOT NULL,
	"days_ahead" smallint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "retirement_mails_account_id_model_retires_at_days_ahead_pk" PRIMARY KEY("account_id","model","retires_at","days_ahead")
);
--> statement-breakpoint
ALTER TABLE "retirement_mails" ADD CONSTRAINT "retirement_mails_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "price_list_checks_url" ON "price_list_checks" USING btree ("url","id");