/** Asks what a new passkey is called, then the browser for it. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { clientParts } from '../client-name.ts';
import { PasskeyNameForm } from './passkey-name-form.tsx';
import { addPasskey } from './queries.ts';
import { secondFactorTexts } from './second-factor-texts.ts';
import type { PartProps } from './use-confirmation.tsx';

interface AddPasskeyDialogProps extends PartProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function AddPasskeyDialog({ opened, confirmation, onChanged, onClose }: AddPasskeyDialogProps) {
  const t = useTexts(secondFactorTexts);
  const deviceName = useDeviceName();
  // Kept while the dialog makes room for the question who it is.
  const [entered, setEntered] = useState<string>();
  const close = () => {
    setEntered(undefined);
    onClose();
  };
  const add = async (name: string) => {
    setEntered(name);
    const { recoveryCodes } = await confirmation.confirmed(() => addPasskey(name));
    close();
    notifyDone(t('passkeyAdded', { name }));
    await onChanged(recoveryCodes);
  };
  const isOpen = opened && !confirmation.isAsking;
  return (
    <Dialog opened={isOpen} onClose={close} title={t('addPasskey')} closeOnClickOutside={false}>
      <PasskeyNameForm name={entered ?? deviceName} submitLabel={t('addPasskey')} onSubmit={add} onCancel={close}>
        <Text size="sm" c="dimmed">
          {t('addPasskeyText')}
        </Text>
      </PasskeyNameForm>
    </Dialog>
  );
}

/** “Chrome on macOS”. */
function useDeviceName(): string {
  const t = useTexts(secondFactorTexts);
  const { browser = '', system } = clientParts(navigator.userAgent);
  return system === undefined ? browser : t('deviceName', { browser, system });
}
