/** A list of IP addresses and networks, one a line, and what the API says of an entry that it does not accept. */
import { Textarea, type TextareaProps } from '@mantine/core';
import { ApiError } from '../../api/api-error.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { addressesFieldTexts } from './addresses-field-texts.ts';

export function AddressesField(props: TextareaProps) {
  const t = useTexts(addressesFieldTexts);
  return (
    <Textarea
      label={t('label')}
      placeholder="203.0.113.0/24"
      autosize
      minRows={2}
      maxRows={10}
      spellCheck={false}
      autoComplete="off"
      classNames={{ input: 'mono' }}
      {...props}
    />
  );
}

/** What was typed, without empty lines. Commas separate entries too. */
export const entriesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((entry) => entry !== '');

/** Undefined if the error is about no entry of the field. `param` is what the API calls it. */
export function useEntryProblem(param: string): (error: unknown, text: string) => string | undefined {
  const t = useTexts(addressesFieldTexts);
  return (error, text) => {
    if (!(error instanceof ApiError) || error.param === undefined || !error.param.startsWith(`${param}[`))
      return undefined;
    const index = Number(error.param.slice(param.length + 1, -1));
    return t('badEntry', { entry: entriesOf(text)[index] ?? '' });
  };
}
