/**
 * `npm run test:campaigns` runs every campaign in full; `npm test` runs a part of each. `.ci/run`, which runs both, has the
 * campaigns leave out that part (`CAMPAIGNS=rest`).
 */
const extent = process.env.CAMPAIGNS;

export function inCampaign<Value>(part: Value, whole: Value, rest: Value = whole): Value {
  if (extent === 'rest') return rest;
  return extent === 'whole' ? whole : part;
}
