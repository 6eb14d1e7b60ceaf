CREATE TABLE "dimension_totals" (
	"dimension_id" bigint NOT NULL,
	"bucket_15m" timestamp with time zone NOT NULL,
	"value_id" bigint NOT NULL,
	"key_id" bigint NOT NULL,
	"model" text NOT NULL,
	"requests" bigint NOT NULL,
	"prompt_tokens" bigint DEFAULT 0 NOT NULL,
	"cached_prompt_tokens" bigint DEFAULT 0 NOT NULL,
	"cache_write_tokens" bigint DEFAULT 0 NOT NULL,
	"completion_tokens" bigint DEFAULT 0 NOT NULL,
	"reasoning_tokens" bigint DEFAULT 0 NOT NULL,
	"images" bigint DEFAULT 0 NOT NULL,
	"cost_nano" bigint NOT NULL,
	CONSTRAINT "dimension_totals_dimension_id_bucket_15m_value_id_key_id_model_pk" PRIMARY KEY("dimension_id","bucket_15m","value_id","key_id","model")
);
--> statement-breakpoint
CREATE TABLE "dimension_values" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "dimension_values_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"dimension_id" bigint NOT NULL,
	"month" date NOT NULL,
	"value" text,
	CONSTRAINT "dimension_values_unique" UNIQUE NULLS NOT DISTINCT("dimension_id","month","value")
);
--> statement-breakpoint
CREATE TABLE "dimensions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "dimensions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" bigint NOT NULL,
	"name" text NOT NULL,
	"active" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "dimensions_name_unique" UNIQUE("account_id","name")
);
--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "dimension_values" bigint[];--> statement-breakpoint
ALTER TABLE "dimension_values" ADD CONSTRAINT "dimension_values_dimension_id_dimensions_id_fk" FOREIGN KEY ("dimension_id") REFERENCES "public"."dimensions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dimensions" ADD CONSTRAINT "dimensions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dimension_values_value" ON "dimension_values" USING btree ("dimension_id","value");