/** What becomes of the keys that a member has created. */
import { Radio, Stack } from '@mantine/core';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { organizationTexts } from '../organization-texts.ts';
import type { KeysFate } from '../queries.ts';

interface KeysFieldProps {
  readonly value: KeysFate;
  readonly onChange: (keys: KeysFate) => void;
}

export function KeysField({ value, onChange }: KeysFieldProps) {
  const t = useTexts(organizationTexts);
  return (
    <Radio.Group
      label={t('theirKeys')}
      value={value}
      onChange={(chosen) => onChange(chosen === 'transfer' ? chosen : 'deactivate')}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="deactivate" label={t('deactivateKeys')} description={t('deactivateKeysText')} />
        <Radio value="transfer" label={t('transferKeys')} description={t('transferKeysText')} />
      </Stack>
    </Radio.Group>
  );
}
