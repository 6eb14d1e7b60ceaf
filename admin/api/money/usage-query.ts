/** Reads the requested range of usage: whole days of a time zone, or times at a full quarter of an hour. */
import { Type } from '@sinclair/typebox';
import { checkTimeZone, dayBefore, startOfDay } from '../../../shared/days-of-zone.ts';
import { GatewayError } from '../../../shared/errors.ts';
import { type DimensionName, isDimensionName, metadataNameForm } from '../../../shared/usage/dimension-names.ts';
import { parseInstant } from '../../http/request/parse-instant.ts';
import { type UsageGrouping, type UsageQuery, usageGroupings } from '../../ledger/queries/usage/usage-query.ts';
import { quarterMs } from '../../ledger/times.ts';

const daysByDefault = 30;
const daysMax = 400;
const dayMs = 86_400_000;
const groupsMax = 10_000;
const groupByMax = 200;
const earliestMs = Date.UTC(1970, 0, 1);
const dayForm = /^\d{4}-\d\d-\d\d$/;

const anyGrouping = [...usageGroupings, 'user', `metadata\\.${metadataNameForm}`].join('|');

export const usageQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      description:
        'The start of the range, inclusive: a day of `timeZone` such as 2030-01-31, or an ISO 8601 date and time at a ' +
        'full quarter of an hour. By default, 29 days before the last day of the range.',
      expected: 'a day such as 2030-01-31, or a moment in ISO 8601 at a full quarter of an hour',
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: 'The end of the range, exclusive, in the same form as `from`. By default, now.',
      expected: 'the end of the range, in the same form as `from`',
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      maxLength: 64,
      default: 'UTC',
      description: 'The IANA time zone that defines the days, such as `Europe/Moscow`.',
      expected: 'the name of a time zone, such as Europe/Moscow',
    }),
  ),
  groupBy: Type.Optional(
    Type.String({
      maxLength: groupByMax,
      default: 'day',
      pattern: `^(?:${anyGrouping})(?:,(?:${anyGrouping}))*$`,
      description:
        'How to group: any of `day`, `hour`, `model`, `key`, `project` and `member`, and one dimension of the organization, such as ' +
        '`user` or `metadata.team`, separated by commas. A charge belongs to the project in which its key was when it was made, and ' +
        'to the member whose key it was.',
      expected:
        'any of day, hour, model, key, project and member, and one of user and metadata.team, separated by commas',
    }),
  ),
});

type UsageOwner = Pick<UsageQuery, 'accountId' | 'keysOf'>;

/** Without a range: today and the 29 days before. Throws GatewayError `invalid_parameter`. */
export function parseUsageQuery(
  whose: UsageOwner,
  query: typeof usageQuery.static,
  now: Date,
): Omit<UsageQuery, 'dimension'> & { readonly dimensionName: DimensionName | undefined } {
  const timeZone = query.timeZone ?? 'UTC';
  checkTimeZone(timeZone);
  const to = query.to === undefined ? endOfQuarter(now) : parseMoment(query.to, { param: 'to', timeZone });
  const from =
    query.from === undefined
      ? startOfDay(dayBefore(new Date(to.getTime() - 1), { days: daysByDefault - 1, timeZone }), timeZone)
      : parseMoment(query.from, { param: 'from', timeZone });
  if (to <= from) throw invalid('to', '`to` must be after `from`.');
  if (to.getTime() - from.getTime() > daysMax * dayMs) throw invalid('from', `A range has at most ${daysMax} days.`);
  return { ...whose, from, to, timeZone, ...parseGroupings(query.groupBy), rowsMax: groupsMax + 1 };
}

/** Throws GatewayError `invalid_parameter` if there are too many groups. */
export function refuseTooMany(groups: number): void {
  if (groups <= groupsMax) return;
  throw invalid('groupBy', `More than ${groupsMax} groups. Request a shorter range or fewer groupings.`);
}

function parseMoment(text: string, { param, timeZone }: { param: string; timeZone: string }): Date {
  const isDay = dayForm.test(text);
  const moment = parseInstant(isDay ? `${text}T00:00:00Z` : text, param);
  // The days derived from it, in any zone, stay within years of four digits.
  if (moment.getTime() < earliestMs) throw invalid(param, `Invalid value for '${param}': expected 1970 or later.`);
  if (isDay) return startOfDay(text, timeZone);
  if (moment.getTime() % quarterMs !== 0) {
    throw invalid(param, `Invalid value for '${param}': expected a full quarter of an hour, or a day.`);
  }
  return moment;
}

function parseGroupings(text = 'day') {
  const words = text.split(',');
  const groupBy: ReadonlySet<UsageGrouping> = new Set(usageGroupings.filter((grouping) => words.includes(grouping)));
  const [dimensionName, another] = new Set(words.filter(isDimensionName));
  if (another !== undefined) throw invalid('groupBy', 'Usage can be grouped by one dimension at a time.');
  return { groupBy, dimensionName };
}

function endOfQuarter(now: Date): Date {
  return new Date((Math.floor(now.getTime() / quarterMs) + 1) * quarterMs);
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError('invalid_parameter', message, { param });
}
