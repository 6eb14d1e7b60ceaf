CREATE TABLE "archived_totals" (
	"account_id" bigint NOT NULL,
	"month" date NOT NULL,
	"part" integer NOT NULL,
	"first_quarter" smallint NOT NULL,
	"last_quarter" smallint NOT NULL,
	"key_ids" bigint[] NOT NULL,
	"key_costs_nano" bigint[] NOT NULL,
	"keys_last_charged_at" timestamp with time zone[] NOT NULL,
	"models" text[] NOT NULL,
	"quarters" smallint[] NOT NULL,
	"key_numbers" integer[] NOT NULL,
	"model_numbers" integer[] NOT NULL,
	"requests" bigint[] NOT NULL,
	"prompt_tokens" bigint[],
	"cached_prompt_tokens" bigint[],
	"cache_write_tokens" bigint[],
	"cache_write_1h_tokens" bigint[],
	"audio_prompt_tokens" bigint[],
	"image_prompt_tokens" bigint[],
	"completion_tokens" bigint[],
	"reasoning_tokens" bigint[],
	"audio_completion_tokens" bigint[],
	"images" bigint[],
	"priced_requests" bigint[],
	"characters" bigint[],
	"audio_seconds" bigint[],
	"searches" bigint[],
	"web_searches" bigint[],
	"costs_nano" bigint[] NOT NULL,
	CONSTRAINT "archived_totals_account_id_month_part_pk" PRIMARY KEY("account_id","month","part")
);--> statement-breakpoint

CREATE TRIGGER archived_totals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON archived_totals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- What an account used in a range of time, archived or not. Postgres expands a call in the statement that it is in.
CREATE FUNCTION usage_totals_between(account bigint, since timestamptz, until timestamptz) RETURNS TABLE (
  bucket_15m timestamptz, key_id bigint, model text, requests bigint,
  prompt_tokens bigint, cached_prompt_tokens bigint, cache_write_tokens bigint, cache_write_1h_tokens bigint,
  audio_prompt_tokens bigint, image_prompt_tokens bigint, completion_tokens bigint, reasoning_tokens bigint,
  audio_completion_tokens bigint, images bigint, priced_requests bigint, characters bigint, audio_seconds bigint,
  searches bigint, web_searches bigint,
  cost_nano bigint
) LANGUAGE sql STABLE AS $$
  SELECT bucket_15m, key_id, model, requests,
    prompt_tokens, cached_prompt_tokens, cache_write_tokens, cache_write_1h_tokens, audio_prompt_tokens, image_prompt_tokens,
    completion_tokens, reasoning_tokens, audio_completion_tokens, images, priced_requests, characters, audio_seconds, searches,
    web_searches,
    cost_nano
  FROM usage_totals WHERE account_id = account AND bucket_15m >= since AND bucket_15m < until
  UNION ALL
  SELECT bucket_15m, key_ids[key_number], models[model_number], total.requests,
    total.prompt_tokens, total.cached_prompt_tokens, total.cache_write_tokens, total.cache_write_1h_tokens,
    total.audio_prompt_tokens, total.image_prompt_tokens, total.completion_tokens, total.reasoning_tokens,
    total.audio_completion_tokens, total.images, total.priced_requests, total.characters, total.audio_seconds, total.searches,
    total.web_searches,
    cost_nano
  FROM archived_totals AS archived
  CROSS JOIN LATERAL unnest(
    quarters, key_numbers, model_numbers, archived.requests,
    archived.prompt_tokens, archived.cached_prompt_tokens, archived.cache_write_tokens, archived.cache_write_1h_tokens,
    archived.audio_prompt_tokens, archived.image_prompt_tokens, archived.completion_tokens, archived.reasoning_tokens,
    archived.audio_completion_tokens, archived.images, archived.priced_requests, archived.characters, archived.audio_seconds,
    archived.searches, archived.web_searches,
    costs_nano
  ) AS total (
    quarter, key_number, model_number, requests,
    prompt_tokens, cached_prompt_tokens, cache_write_tokens, cache_write_1h_tokens, audio_prompt_tokens, image_prompt_tokens,
    completion_tokens, reasoning_tokens, audio_completion_tokens, images, priced_requests, characters, audio_seconds, searches,
    web_searches,
    cost_nano
  )
  CROSS JOIN LATERAL (SELECT month::timestamp AT TIME ZONE 'UTC' + quarter * interval '15 minutes' AS bucket_15m) AS bucket
  WHERE archived.account_id = account
    AND month >= date_trunc('month', since AT TIME ZONE 'UTC') AND month < until AT TIME ZONE 'UTC'
    AND month + last_quarter * interval '15 minutes' >= since AT TIME ZONE 'UTC'
    AND month + first_quarter * interval '15 minutes' < until AT TIME ZONE 'UTC'
    AND bucket_15m >= since AND bucket_15m < until
$$;
