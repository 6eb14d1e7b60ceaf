/** `npm run test:campaigns` runs every campaign in full; `npm test` runs a part of each. */
const isWhole = process.env.CAMPAIGNS === 'whole';

export function inCampaign<Value>(part: Value, whole: Value): Value {
  return isWhole ? whole : part;
}
