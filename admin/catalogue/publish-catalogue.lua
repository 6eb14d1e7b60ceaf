-- Publishes a catalogue, unless another admin has published one since this admin read the revision: that admin may
-- know a newer catalogue, which must not be replaced by an older one.
--
-- KEYS: 1 the published catalogue
-- ARGV: 1 the revision that was read, empty if there was none  2 the new revision  3 its document
-- Returns 1, or 0 if another admin was faster.

local published = redis.call('HGET', KEYS[1], 'revision')
if (published or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'revision', ARGV[2], 'document', ARGV[3])
return 1
