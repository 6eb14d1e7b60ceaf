/** An error in words that a person can act on. */
import { ApiError } from '../api/api-error.ts';
import { type Translate, useTexts } from '../i18n/use-texts.ts';
import { errorTexts } from './error-texts.ts';

export interface ErrorText {
  readonly title: string;
  readonly text: string;
  readonly requestId: string | undefined;
  /** Whether only a reload of the page helps. */
  readonly isOutdated: boolean;
}

type Key = NonNullable<(typeof errorTexts)['key']>;

/** Codes whose message of the API is not for people, or needs the reader's language. */
const knownCodes: readonly Key[] = [
  'invalid_credentials',
  'email_taken',
  'wrong_password',
  'account_blocked',
  'registration_closed',
  'invalid_link',
];

export const useErrorText = (error: unknown): ErrorText => useDescribeError()(error);

/** For errors that arise later, such as in an event handler. */
export function useDescribeError(): (error: unknown) => ErrorText {
  const t = useTexts(errorTexts);
  return (error) => ({
    ...describe(error, t),
    requestId: error instanceof ApiError ? error.requestId : undefined,
  });
}

function describe(error: unknown, t: Translate<Key>): Omit<ErrorText, 'requestId'> {
  const isOutdated = isMissingScript(error);
  if (isOutdated) return { title: t('outdatedTitle'), text: t('outdatedText'), isOutdated };
  if (!(error instanceof ApiError)) return { title: t('serverTitle'), text: t('serverText'), isOutdated };
  const { status, code, message, retryAfterSeconds } = error;
  const known = knownCodes.find((key) => key === code);
  if (known !== undefined) return { title: t('refusedTitle'), text: t(known), isOutdated };
  if (status === 0) return { title: t('networkTitle'), text: t('networkText'), isOutdated };
  if (status === 429) {
    const text = retryAfterSeconds ? t('tooManyText', { count: retryAfterSeconds }) : t('tooManySoonText');
    return { title: t('tooManyTitle'), text, isOutdated };
  }
  if (status === 401) return { title: t('refusedTitle'), text: t('signedOut'), isOutdated };
  if (status === 503 || status === 502 || status === 504) {
    return { title: t('unavailableTitle'), text: t('unavailableText'), isOutdated };
  }
  if (status >= 500) return { title: t('serverTitle'), text: t('serverText'), isOutdated };
  const titles: Readonly<Record<number, Key>> = { 403: 'forbiddenTitle', 404: 'notFoundTitle' };
  return { title: t(titles[status] ?? 'refusedTitle'), text: message, isOutdated };
}

/** After a new release, the scripts of pages that were not loaded before are gone. */
function isMissingScript(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|module script/i.test(error.message);
}
