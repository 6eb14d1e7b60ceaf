/** Shows the secret of an endpoint: once, because the API does not return it again. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyField } from '../app/components/copy-field.tsx';
import { Dialog } from '../app/components/dialogs/dialog.tsx';
import { commonTexts } from '../app/i18n/common-texts.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { webhooksTexts } from './webhooks-texts.ts';

export function SecretDialog({ secret, onClose }: { secret: string | undefined; onClose: () => void }) {
  const t = useTexts(webhooksTexts);
  const common = useTexts(commonTexts);
  return (
    <Dialog opened={secret !== undefined} onClose={onClose} title={t('secretTitle')} canClose={false}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t('secretText')}
        </Text>
        <CopyField label={t('secret')} value={secret ?? ''} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{common('done')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
