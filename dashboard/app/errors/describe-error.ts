/** An error in words that a person can act on: by the API's code and parameter, otherwise by the status. */

import i18next from 'i18next';
import { limits } from '../../generated/limits.ts';
import { ApiError } from '../api/api-error.ts';
import type { Translate } from '../i18n/define-texts.ts';
import { PasskeyNotUsed } from '../second-factor/passkeys.ts';
import { codeTexts } from './code-texts.ts';
import type { errorTexts } from './error-texts.ts';

export interface ErrorText {
  readonly title: string;
  readonly text: string;
  /** The API's own message, in English, where it has facts that the text has not, such as the lines of a file. */
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
  /** Whether only a reload of the page helps. */
  readonly isOutdated: boolean;
}

type Key = NonNullable<(typeof errorTexts)['key']>;
type CodeKey = NonNullable<(typeof codeTexts)['key']>;

export interface ErrorWords {
  readonly general: Translate<Key>;
  readonly ofCode: Translate<CodeKey>;
}

/** Codes whose message names a limit, an amount, a payment, or a line of a file. */
const factualCodes: readonly string[] = [
  'too_many_keys',
  'too_many_organizations',
  'too_many_payments',
  'refund_too_large',
  'payment_state',
  'payment_reference_used',
  'invalid_bank_statement',
  'invalid_catalogue',
  'invalid_price_list',
  'price_list_unavailable',
  'identity_provider_unavailable',
] satisfies CodeKey[];

export function describeError(error: unknown, words: ErrorWords): ErrorText {
  const { general } = words;
  if (isMissingScript(error)) {
    return { ...plain, title: general('outdatedTitle'), text: general('outdatedText'), isOutdated: true };
  }
  if (error instanceof PasskeyNotUsed)
    return { ...plain, title: general('refusedTitle'), text: general('passkeyNotUsed') };
  if (!(error instanceof ApiError)) return { ...plain, title: general('serverTitle'), text: general('serverText') };
  const own = ownKeyOf(error);
  return {
    ...plain,
    title: general(titleOf(error.status)),
    text: own === undefined ? textOfStatus(error, general) : words.ofCode(own, limits),
    detail: hasFacts(error, own) ? error.message : undefined,
    requestId: error.requestId,
  };
}

const plain = { detail: undefined, requestId: undefined, isOutdated: false };

/** The most particular text that there is for a code. */
function ownKeyOf({ code, param = '' }: ApiError): CodeKey | undefined {
  // `limits.allowedModels[3]` is about the whole field.
  const field = param.replace(/\[\d+\]$/, '').replaceAll('.', '_');
  return [`${code}_${field}`, code].find(isCodeKey);
}

function isCodeKey(key: string): key is CodeKey {
  return i18next.exists(key, { ns: codeTexts.namespace });
}

function titleOf(status: number): Key {
  if (status === 0) return 'networkTitle';
  if (status === 429) return 'tooManyTitle';
  if (isAway(status)) return 'unavailableTitle';
  if (status >= 500) return 'serverTitle';
  if (status === 403) return 'forbiddenTitle';
  return status === 404 ? 'notFoundTitle' : 'refusedTitle';
}

function textOfStatus({ status, retryAfterSeconds }: ApiError, general: Translate<Key>): string {
  if (status === 0) return general('networkText');
  if (status === 401) return general('signedOut');
  if (status === 429) {
    return retryAfterSeconds ? general('tooManyText', { count: retryAfterSeconds }) : general('tooManySoonText');
  }
  if (isAway(status)) return general('unavailableText');
  return general(status >= 500 ? 'serverText' : 'refusedText');
}

/** Whether what is behind a load balancer, or behind the API, cannot be reached. */
const isAway = (status: number) => status === 502 || status === 503 || status === 504;

function hasFacts({ code, status, message }: ApiError, own: CodeKey | undefined): boolean {
  if (own === undefined) return status >= 400 && status < 500 && status !== 401 && status !== 429;
  // Without a text for its parameter, only the message tells what is wrong.
  if (own === 'invalid_parameter' || own === 'missing_parameter') return true;
  if (own === 'not_found') return !message.startsWith('There is no ');
  return factualCodes.includes(code);
}

/** After a new release, the scripts of pages that were not loaded before are gone. */
function isMissingScript(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|module script/i.test(error.message);
}
