/** Why the API refused what was typed into a form, in the reader's language. */
import { ApiError } from '../api/api-error.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { errorTexts } from './error-texts.ts';
import { useDescribeError } from './use-error-text.ts';

export function useRefusalText(): (error: unknown) => string {
  const t = useTexts(errorTexts);
  const describe = useDescribeError();
  return (error) => {
    const { code, param } = error instanceof ApiError ? error : {};
    if (code === 'invalid_parameter' && (param === 'password' || param === 'new_password')) return t('passwordRefused');
    if (code === 'invalid_parameter' && param === 'email') return t('emailWrong');
    return describe(error).text;
  };
}
