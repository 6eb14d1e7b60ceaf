/** A list of IP addresses and networks, one a line, and what the API says of an entry that it does not accept. */
import { Textarea, type TextareaProps } from '@mantine/core';
import { useTexts } from '../../i18n/use-texts.ts';
import { addressesFieldTexts } from './addresses-field-texts.ts';
import { entryAtFault } from './entries.ts';

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

/** Undefined if the error is about no entry of the field. `param` is what the API calls it. */
export function useEntryProblem(param: string): (error: unknown, text: string) => string | undefined {
  const t = useTexts(addressesFieldTexts);
  return (error, text) => {
    const entry = entryAtFault(error, param, text);
    return entry === undefined ? undefined : t('badEntry', { entry });
  };
}
