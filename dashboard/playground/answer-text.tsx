/**
 * The text of a model. It is shown as text and never as HTML, whatever is in it; code between ``` fences is set off with
 * a button to copy it.
 */
import { Text } from '@mantine/core';
import { memo, useRef } from 'react';
import { CopyIcon } from '../app/components/copy-icon.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { playgroundTexts } from './playground-texts.ts';
import { splitFences } from './split-fences.ts';

export const AnswerText = memo(function AnswerText({ text }: { text: string }) {
  return splitFences(text).map(({ kind, text: content, language, line }) =>
    kind === 'code' ? (
      <CodeBlock key={line} code={content} language={language} />
    ) : (
      <div key={line} className="plain-text">
        {content}
      </div>
    ),
  );
});

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
