/** The passkeys of the user, and how one is added. */
import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { hasPasskeys } from '../../app/second-factor/passkeys.ts';
import { ActionRow } from '../action-row.tsx';
import { AddPasskeyDialog } from './add-passkey-dialog.tsx';
import { PasskeyTable } from './passkey-table.tsx';
import type { SecondFactors } from './queries.ts';
import { secondFactorTexts } from './second-factor-texts.ts';
import type { PartProps } from './use-confirmation.tsx';

export function PasskeysPart({ factors, ...part }: { factors: SecondFactors } & PartProps) {
  const t = useTexts(secondFactorTexts);
  const [isAdding, setAdding] = useState(false);
  return (
    <Stack gap="sm">
      <ActionRow title={t('passkeys')} text={t('passkeysText')}>
        {hasPasskeys() ? (
          <Button variant="default" onClick={() => setAdding(true)}>
            {t('addPasskey')}
          </Button>
        ) : null}
      </ActionRow>
      {factors.passkeys.length === 0 ? null : <PasskeyTable factors={factors} {...part} />}
      <AddPasskeyDialog opened={isAdding} onClose={() => setAdding(false)} {...part} />
    </Stack>
  );
}
