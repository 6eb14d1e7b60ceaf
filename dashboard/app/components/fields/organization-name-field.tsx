/** What an organization is called. Strangers read it in invitations, so it has no link. */
import { TextInput, type TextInputProps } from '@mantine/core';
import { limits } from '../../../generated/limits.ts';
import { commonTexts } from '../../i18n/common-texts.ts';
import { useTexts } from '../../i18n/use-texts.ts';

export function OrganizationNameField(props: TextInputProps) {
  const common = useTexts(commonTexts);
  return (
    <TextInput label={common('name')} autoComplete="organization" maxLength={limits.organizationNameMax} {...props} />
  );
}

/** For the validation of a form: what is wrong with a name, or null. */
export function useNameProblem(): (name: string) => string | null {
  const common = useTexts(commonTexts);
  return (name) => {
    if (name.trim() === '') return common('nameMissing');
    return /:\/\/|\bwww\./i.test(name) ? common('nameWithLink') : null;
  };
}
