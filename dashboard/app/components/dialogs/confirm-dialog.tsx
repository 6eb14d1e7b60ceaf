/** Asks once before something is destroyed, and names it. It stays open with the reason if the action fails. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FormError } from '../../errors/form-error.tsx';
import { commonTexts } from '../../i18n/common-texts.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Names what is destroyed: “Delete key “production”?” */
  readonly title: string;
  /** What follows from it. */
  readonly text: ReactNode;
  /** “Delete key” */
  readonly confirmLabel: string;
  /** The dialog closes when it has succeeded. */
  readonly onConfirm: () => Promise<unknown>;
  /** What is to be decided with it. */
  readonly children?: ReactNode;
}

export function ConfirmDialog({ opened, onClose, title, text, confirmLabel, onConfirm, children }: ConfirmDialogProps) {
  const common = useTexts(commonTexts);
  const action = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const close = () => {
    action.reset();
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <Stack>
        <Text size="sm">{text}</Text>
        {children}
        <FormError error={action.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {common('cancel')}
          </Button>
          <Button color="red.9" loading={action.isPending} onClick={() => action.mutate()}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
