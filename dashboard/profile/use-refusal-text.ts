/** Why the API refused something on this page, in the reader's language. */
import { ApiError } from '../app/api/api-error.ts';
import { useDescribeError } from '../app/errors/use-error-text.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { profileTexts } from './profile-texts.ts';

export function useRefusalText(): (error: unknown) => string {
  const t = useTexts(profileTexts);
  const describe = useDescribeError();
  return (error) => {
    const { code, param } = error instanceof ApiError ? error : {};
    if (code === 'wrong_password') return t('wrongPassword');
    if (code === 'email_taken') return t('emailTaken');
    if (code === 'invalid_parameter' && param === 'new_password') return t('passwordRefused');
    if (code === 'invalid_parameter' && param === 'email') return t('emailWrong');
    return describe(error).text;
  };
}
