/** How many recovery codes are left, and new ones in their place. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../app/components/dialogs/confirm-dialog.tsx';
import { Status } from '../../app/components/status.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { ActionRow } from '../action-row.tsx';
import { replaceRecoveryCodes } from './queries.ts';
import { secondFactorTexts } from './second-factor-texts.ts';
import type { PartProps } from './use-confirmation.tsx';

/** From here on, the user is warned. */
const fewCodes = 3;

export function CodesRow({ left, confirmation, onChanged }: { left: number } & PartProps) {
  const t = useTexts(secondFactorTexts);
  const [isReplacing, setReplacing] = useState(false);
  const replace = async () => {
    const { recoveryCodes } = await confirmation.confirmed(replaceRecoveryCodes);
    await onChanged(recoveryCodes);
  };
  return (
    <ActionRow
      title={t('recoveryCodes')}
      text={
        <>
          {t('recoveryText')}
          <div>
            <Status tone={left <= fewCodes ? 'warning' : 'neutral'}>{t('codesLeft', { count: left })}</Status>
          </div>
        </>
      }
    >
      <Button variant="default" onClick={() => setReplacing(true)}>
        {t('newCodes')}
      </Button>
      <ConfirmDialog
        opened={isReplacing && !confirmation.isAsking}
        onClose={() => setReplacing(false)}
        title={t('newCodesTitle')}
        text={t('newCodesText')}
        confirmLabel={t('newCodes')}
        onConfirm={replace}
      />
    </ActionRow>
  );
}
