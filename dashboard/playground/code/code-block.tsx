/** Code with a button to copy it. */
import { Text } from '@mantine/core';
import { useRef } from 'react';
import { CopyIcon } from '../../app/components/copy-icon.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { playgroundTexts } from '../playground-texts.ts';

export function CodeBlock({ code, language }: { code: string; language: string }) {
  const t = useTexts(playgroundTexts);
  const shown = useRef<HTMLElement>(null);
  return (
    <div className="code-block">
      <div className="code-block-head">
        <Text span size="xs" c="dimmed">
          {language}
        </Text>
        <CopyIcon label={t('copyCode')} value={code} shownIn={() => shown.current} />
      </div>
      <pre>
        <code ref={shown}>{code}</code>
      </pre>
    </div>
  );
}
