/**
 * Searches of the web that the provider runs while it generates: how each API format asks for them. They cost a price for each,
 * so a request says how many it takes at most, and without a price they are left out as other hosted tools are.
 */
import { type Static, Type } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import { checkValue } from '../../../shared/http/check-value.ts';
import { withoutNullish } from '../../../shared/members.ts';
import { boolean, integer, optional, string } from './fields.ts';

/** The kind of the tool, and its name where a choice of tools or a removed one is named. */
export const webSearchKind = 'web_search';

/** How often a response may search if its request does not say it. */
const usesByDefault = 5;
/** The most that a request may say. */
export const usesLimit = 50;
const domainsLimit = 100;

export interface WebSearch {
  /** How often the provider may search, at most. */
  readonly usesMax: number;
  /** The parameter without whose effect the request would make no sense; undefined if the model may as well not search. */
  readonly requiredBy?: string;
  /** Whether the model has to search. */
  readonly isForced?: boolean;
  readonly filters: SearchFilters;
  /** Only in what the provider has stored of the web, and not live. */
  readonly isCached?: boolean;
  /** Whether the client reads what was searched and found, in addition to the citations of the text. */
  readonly showsResults?: boolean;
  /** Why it cannot be run. Where there is no price, it is left out whatever it says. */
  readonly refusal?: GatewayError;
}

/** Only what the request says. */
export interface SearchFilters {
  readonly allowed_domains?: readonly string[];
  readonly blocked_domains?: readonly string[];
  readonly user_location?: UserLocation;
}

export interface UserLocation {
  readonly type: 'approximate';
  readonly city?: string;
  readonly region?: string;
  readonly country?: string;
  readonly timezone?: string;
}

const domains = optional(
  Type.Array(string('A domain, such as `example.com`.'), {
    maxItems: domainsLimit,
    expected: `an array of up to ${domainsLimit} domains`,
  }),
);
const filters = { allowed_domains: domains, blocked_domains: domains };
const place = {
  city: optional(string('The city.')),
  region: optional(string('The region.')),
  country: optional(string('The ISO 3166-1 code of the country.')),
  timezone: optional(string('The IANA name of the time zone.')),
};

/** A tool of Anthropic's or of OpenAI's Responses, or the `web_search_options` of a chat completion. */
const anyForm = Type.Object(
  {
    external_web_access: optional(boolean('Whether to search live.')),
    max_uses: optional(integer({ minimum: 1, maximum: usesLimit }, 'How often the model may search, at most.')),
    ...filters,
    filters: optional(Type.Object(filters, { expected: 'an object' })),
    user_location: optional(
      Type.Object({ ...place, approximate: optional(Type.Object(place, { expected: 'an object' })) }),
    ),
  },
  { expected: 'an object' },
);

/** `at` is its place in the body. */
export function readWebSearch(value: unknown, at: string): WebSearch {
  try {
    return readForm(checkValue(anyForm, value, at));
  } catch (refusal) {
    if (refusal instanceof GatewayError) return { usesMax: usesByDefault, filters: {}, refusal };
    throw refusal;
  }
}

function readForm(form: Static<typeof anyForm>): WebSearch {
  const { max_uses, external_web_access: isLive, filters, user_location: location, ...direct } = form;
  const { allowed_domains, blocked_domains } = filters ?? direct;
  const { city, region, country, timezone } = location?.approximate ?? location ?? {};
  const userLocation = withoutNullish({ city, region, country, timezone });
  return {
    usesMax: max_uses ?? usesByDefault,
    ...(isLive === false && { isCached: true }),
    filters: {
      ...withoutNullish({ allowed_domains, blocked_domains }),
      ...(Object.keys(userLocation).length > 0 && { user_location: { type: 'approximate', ...userLocation } }),
    },
  };
}
