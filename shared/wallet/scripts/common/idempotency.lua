-- requires: hold
-- The use of an Idempotency-Key, kept for a day in {s}:once:<digest>: `body` is the digest of the request's body,
-- `request` the first request, `answer` its response once there is one. A request that ended without one frees the key.

local function check_repetition(digest, body_digest)
  local earlier = redis.call('HMGET', tag .. ':once:' .. digest, 'body', 'request', 'answer')
  if not earlier[1] then return nil end
  if earlier[1] ~= body_digest then return {status = 'REUSED'} end
  if earlier[3] then return {status = 'ANSWERED', answer = earlier[3]} end
  if read_request(earlier[2]) then return {status = 'IN_PROGRESS'} end
  return nil
end

local function begin_once(digest, body_digest, request)
  local once_key = tag .. ':once:' .. digest
  redis.call('HSET', once_key, 'body', body_digest, 'request', request)
  redis.call('EXPIRE', once_key, outcome_seconds)
end

-- The total size of the responses kept for an account's Idempotency-Keys, counted for a day from the first of them.
local kept_bytes_max = 33554432

-- Embeddings cost next to nothing and are large, so without a limit one account could fill the shared memory. A response
-- beyond the limit is treated as too large to keep.
local function finish_once(digest, request, account, answer)
  local once_key = tag .. ':once:' .. digest
  if redis.call('HGET', once_key, 'request') ~= request then return end
  local kept_key = tag .. ':kept:' .. account
  local kept = tonumber(redis.call('GET', kept_key) or '0')
  if kept + #answer > kept_bytes_max then answer = '' end
  if #answer > 0 then redis.call('INCRBY', kept_key, #answer) end
  if kept == 0 and #answer > 0 then redis.call('EXPIRE', kept_key, outcome_seconds) end
  redis.call('HSET', once_key, 'answer', answer)
  redis.call('EXPIRE', once_key, outcome_seconds)
end

local function drop_once(digest, request)
  local once_key = tag .. ':once:' .. digest
  local earlier = redis.call('HMGET', once_key, 'request', 'answer')
  if earlier[1] == request and not earlier[2] then redis.call('DEL', once_key) end
end
