/** Company details that an invoice needs, asked for where they are missed. Saving them orders the invoice. */
import { Anchor, Skeleton, Stack, Text } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { type UseMutationResult, useQuery } from '@tanstack/react-query';
import { profileQuery } from '../../app/api/shared-queries.ts';
import { Loaded } from '../../app/components/loaded.tsx';
import { FormError } from '../../app/errors/form-error.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { CompanyForm } from '../../company/company-form.tsx';
import { missingDetails, useDetailNames } from '../../company/detail-problems.ts';
import { topUpTexts } from './top-up-texts.ts';

interface DetailsStepProps {
  /** The API's names of what is missing. */
  readonly missing: readonly string[];
  readonly creation: Pick<UseMutationResult, 'error' | 'isPending'>;
  readonly onSaved: () => void;
  readonly onBack: () => void;
}

export function DetailsStep({ missing, creation, onSaved, onBack }: DetailsStepProps) {
  const t = useTexts(topUpTexts);
  const nameOf = useDetailNames();
  const profile = useQuery(profileQuery);
  return (
    <Stack>
      <Anchor component="button" type="button" size="sm" onClick={onBack} className="top-up-back">
        <IconArrowLeft size={14} aria-hidden />
        {t('back')}
      </Anchor>
      {missing.length === 0 ? null : (
        <Text size="sm" role="status">
          {t('detailsText', { fields: missing.map(nameOf).join(', ') })}
        </Text>
      )}
      <Loaded query={profile} skeleton={<Skeleton height={240} />}>
        {(saved) => <CompanyForm saved={saved} submitLabel={t('saveDetails')} onSaved={onSaved} />}
      </Loaded>
      {missingDetails(creation.error) === undefined ? <FormError error={creation.error} /> : null}
    </Stack>
  );
}
