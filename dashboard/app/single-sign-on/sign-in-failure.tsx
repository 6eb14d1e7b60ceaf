/** Why an identity provider has signed nobody in. The address says it in codes: everybody can write a link with other words. */
import { Alert, Text } from '@mantine/core';
import { codeTexts } from '../errors/code-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { choiceOf, present, textOf } from '../router/search.ts';

const codes = ['sign_in_failed', 'identity_provider_unavailable', 'account_blocked'] as const;
const reasons = ['begin_again', 'refused', 'invalid', 'unverified', 'foreign_domain', 'removed', 'deleted'] as const;

interface Failure {
  readonly error?: (typeof codes)[number];
  readonly reason?: (typeof reasons)[number];
}

/**
 * `?error=sign_in_failed&reason=refused`. What a page reads of its address still has what its route has dropped, so it is parsed again
 * where it is shown. Later servers may have other codes and reasons.
 */
export function failureSearch(search: Readonly<Record<string, unknown>>): Failure {
  if (textOf(search, 'error') === undefined) return {};
  return present({
    error: choiceOf(search, 'error', codes) ?? 'sign_in_failed',
    reason: choiceOf(search, 'reason', reasons),
  });
}

export function SignInFailure({ search }: { search: Readonly<Record<string, unknown>> }) {
  const t = useTexts(codeTexts);
  const { error, reason } = failureSearch(search);
  if (error === undefined) return null;
  const isExplained = error === 'sign_in_failed' && reason !== undefined;
  return (
    <Alert color="red" variant="outline" role="alert" className="form-error">
      <Text size="sm">{t(isExplained ? `sign_in_failed_${reason}` : error)}</Text>
    </Alert>
  );
}
