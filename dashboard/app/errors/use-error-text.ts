/** An error in the reader's language. */
import { useTexts } from '../i18n/use-texts.ts';
import { codeTexts } from './code-texts.ts';
import { describeError, type ErrorText } from './describe-error.ts';
import { errorTexts } from './error-texts.ts';

export const useErrorText = (error: unknown): ErrorText => useDescribeError()(error);

/** For errors that arise later, such as in an event handler. */
export function useDescribeError(): (error: unknown) => ErrorText {
  const words = { general: useTexts(errorTexts), ofCode: useTexts(codeTexts) };
  return (error) => describeError(error, words);
}
