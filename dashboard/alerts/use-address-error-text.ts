/** Why an address could not be added, in the reader's language. */
import { ApiError } from '../app/api/api-error.ts';
import { useDescribeError } from '../app/errors/use-error-text.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { alertsTexts } from './alerts-texts.ts';

const codes = ['address_exists', 'too_many_addresses', 'email_not_verified', 'invalid_parameter'] as const;

export function useAddressErrorText(): (error: unknown) => string {
  const t = useTexts(alertsTexts);
  const describe = useDescribeError();
  return (error) => {
    const known = codes.find((code) => error instanceof ApiError && error.code === code);
    return known === undefined ? describe(error).text : t(known);
  };
}
