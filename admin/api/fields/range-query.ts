/** `from` and `to` of a query: a time range that includes its start and excludes its end. */
import { Type } from '@sinclair/typebox';
import { parseInstant } from '../../http/request/parse-instant.ts';

const form = 'an ISO 8601 date or date and time, in UTC unless it has an offset';

export const rangeFields = {
  from: Type.Optional(
    Type.String({
      description: `The start of the time range, inclusive: ${form}. Without it, the range begins with the first entry.`,
      expected: 'the earliest moment, in ISO 8601 (UTC if it has no offset)',
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: `The end of the time range, exclusive: ${form}. Without it, the range is open to the present.`,
      expected: 'the moment before which to list, in ISO 8601 (UTC if it has no offset)',
    }),
  ),
};

interface RangeTexts {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface TimeRange {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** Throws GatewayError `invalid_parameter`. */
export function parseRange({ from, to }: RangeTexts): TimeRange {
  return {
    from: from === undefined ? undefined : parseInstant(from, 'from'),
    to: to === undefined ? undefined : parseInstant(to, 'to'),
  };
}
