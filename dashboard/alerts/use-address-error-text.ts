/** Why an address could not be added, in the reader's language: at its field, if it is about the address. */
import { ApiError } from '../app/api/api-error.ts';
import { useDescribeError } from '../app/errors/use-error-text.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { alertsTexts } from './alerts-texts.ts';

const codes = ['address_exists', 'too_many_addresses', 'email_not_verified', 'invalid_parameter'] as const;

type Code = (typeof codes)[number];

/** Undefined for an error that is not about the address. */
export function addressCodeOf(error: unknown): Code | undefined {
  return error instanceof ApiError ? codes.find((code) => code === error.code) : undefined;
}

export function useAddressErrorText(): (error: unknown) => string {
  const t = useTexts(alertsTexts);
  const describe = useDescribeError();
  return (error) => {
    const known = addressCodeOf(error);
    return known === undefined ? describe(error).text : t(known);
  };
}
