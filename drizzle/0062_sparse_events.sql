-- Of compact charges, null stands for what nearly every charge has.
ALTER TABLE "usage_events"
  ALTER COLUMN "uncharged_nano" DROP NOT NULL,
  ALTER COLUMN "prompt_tokens" DROP NOT NULL,
  ALTER COLUMN "cached_prompt_tokens" DROP NOT NULL,
  ALTER COLUMN "cache_write_tokens" DROP NOT NULL,
  ALTER COLUMN "completion_tokens" DROP NOT NULL,
  ALTER COLUMN "reasoning_tokens" DROP NOT NULL,
  ALTER COLUMN "images" DROP NOT NULL,
  ALTER COLUMN "variant" DROP NOT NULL,
  ALTER COLUMN "estimated" DROP NOT NULL;
