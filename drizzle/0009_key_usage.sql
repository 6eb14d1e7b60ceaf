CREATE TABLE "key_usage_days" (
	"key_id" bigint NOT NULL,
	"day" date NOT NULL,
	"spent_nano" bigint NOT NULL,
	"last_charged_at" timestamp with time zone NOT NULL,
	CONSTRAINT "key_usage_days_key_id_day_pk" PRIMARY KEY("key_id","day")
);
--> statement-breakpoint
-- What was booked before: of each request only its last word, because an event tells the whole cost.
INSERT INTO "key_usage_days" ("key_id", "day", "spent_nano", "last_charged_at")
SELECT key_id, (charged_at AT TIME ZONE 'UTC')::date AS day, sum(cost_nano), max(charged_at)
FROM (SELECT DISTINCT ON (request_id) key_id, charged_at, cost_nano FROM "usage_events" ORDER BY request_id, rank DESC) AS "last"
GROUP BY key_id, day;
