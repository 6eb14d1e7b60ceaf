/** New recovery codes: shown once, because only their hashes are stored. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { saveFile } from '../../app/api/download.ts';
import { copyText } from '../../app/components/copy-field.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { secondFactorTexts } from './second-factor-texts.ts';

const fileName = 'recovery-codes.txt';

export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const t = useTexts(secondFactorTexts);
  const common = useTexts(commonTexts);
  const list = useRef<HTMLUListElement>(null);
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const text = `${codes.join('\n')}\n`;
  const copy = async () => {
    const isCopied = await copyText(text);
    if (!isCopied && list.current !== null) getSelection()?.selectAllChildren(list.current);
    setOutcome(isCopied ? 'copied' : 'refused');
  };
  return (
    <Stack>
      <Text size="sm">{t('codesText')}</Text>
      <ul ref={list} className="recovery-codes mono" aria-label={t('recoveryCodes')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Text size="xs" c="dimmed" aria-live="polite">
        {outcome === 'refused' ? common('copyByHand') : ''}
      </Text>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Button variant="default" onClick={() => void copy()} data-autofocus>
            {common(outcome === 'copied' ? 'copied' : 'copy')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile(new Blob([text], { type: 'text/plain' }), fileName)}
          >
            {t('download')}
          </Button>
        </Group>
        <Button onClick={onDone}>{common('done')}</Button>
      </Group>
    </Stack>
  );
}
