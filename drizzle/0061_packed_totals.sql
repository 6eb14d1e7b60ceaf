-- Totals of the last days are rows, and earlier ones may be lists, also of a month that is not archived.

-- What an account was charged in a range of time, by assignment of a key: some of it in each row. A row of lists that lies in the
-- range is not unrolled, because it has sums.
CREATE FUNCTION key_costs_between(account bigint, since timestamptz, until timestamptz) RETURNS TABLE (
  key_id bigint, cost_nano bigint
) LANGUAGE sql STABLE AS $$
  SELECT key_id, cost_nano FROM usage_totals WHERE account_id = account AND bucket_15m >= since AND bucket_15m < until
  UNION ALL
  SELECT listed.key_id, listed.cost_nano
  FROM archived_totals AS archived
  CROSS JOIN LATERAL (SELECT
    month::timestamp AT TIME ZONE 'UTC' + first_quarter * interval '15 minutes' AS first,
    month::timestamp AT TIME ZONE 'UTC' + last_quarter * interval '15 minutes' AS last
  ) AS bounds
  CROSS JOIN LATERAL (
    SELECT whole.key_id, whole.cost_nano FROM unnest(key_ids, key_costs_nano) AS whole (key_id, cost_nano)
    WHERE first >= since AND last < until
    UNION ALL
    SELECT key_ids[key_number], total.cost_nano
    FROM unnest(quarters, key_numbers, costs_nano) AS total (quarter, key_number, cost_nano)
    CROSS JOIN LATERAL (SELECT month::timestamp AT TIME ZONE 'UTC' + quarter * interval '15 minutes' AS start) AS bucket
    WHERE NOT (first >= since AND last < until) AND start >= since AND start < until
  ) AS listed
  WHERE account_id = account AND last >= since AND first < until
    AND month >= date_trunc('month', since AT TIME ZONE 'UTC') AND month < until AT TIME ZONE 'UTC'
$$;
