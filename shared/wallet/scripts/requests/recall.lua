#!lua flags=allow-oom
-- Recalls the leases of an account: a request would be refused, but they have a part of what it needs. Until they have been
-- returned, and for some time after, requests of the account are checked exactly.
--
-- Works on {s}:leases:<account>, {s}:wallet:<account> and {s}:request:<lease>; publishes to `gateway:recall`.
-- requires: lease
-- arguments:
--   account
--   exactMs      for how long no lease of the account grows
-- Returns OK leases, how many there are that requests may still begin from.

drop_lost_leases(arguments.account)
recall_leases(arguments.account, '', text(now_ms() + amount(arguments.exactMs)))
return {status = 'OK', leases = text(count_leases(arguments.account, 'recalled'))}
