/**
 * The text of a model. It is shown as text and never as HTML, whatever is in it; code between ``` fences is set off with
 * a button to copy it.
 */
import { Text } from '@mantine/core';
import { memo, useRef } from 'react';
import { CopyIcon } from '../app/components/copy-icon.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { playgroundTexts } from './playground-texts.ts';

interface Part {
  readonly kind: 'text' | 'code';
  readonly text: string;
  /** Of code: what follows the opening fence, such as `python`. */
  readonly language: string;
}

export const AnswerText = memo(function AnswerText({ text }: { text: string }) {
  return splitFences(text).map(({ kind, text: content, language }, index) =>
    kind === 'code' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end.
      <CodeBlock key={index} code={content} language={language} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end.
      <div key={index} className="plain-text">
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

/** A fence that is not closed yet reaches to the end, so code is code from its first line. */
export function splitFences(text: string): readonly Part[] {
  const parts: Part[] = [];
  const lines: string[] = [];
  let fence: { mark: string; language: string } | undefined;
  const end = () => {
    const content = lines.splice(0).join('\n');
    if (fence !== undefined) parts.push({ kind: 'code', text: content, language: fence.language });
    else if (content.trim() !== '') parts.push({ kind: 'text', text: content.replace(/^\n+|\s+$/g, ''), language: '' });
  };
  for (const line of text.split('\n')) {
    const { mark, info = '' } = /^ {0,3}(?<mark>`{3,}|~{3,})\s*(?<info>[^`]*)$/.exec(line)?.groups ?? {};
    const closes = fence !== undefined && mark?.startsWith(fence.mark) && info.trim() === '';
    if (mark === undefined || (fence !== undefined && !closes)) {
      lines.push(line);
      continue;
    }
    end();
    fence = closes ? undefined : { mark, language: info.trim().split(/\s/)[0] ?? '' };
  }
  end();
  return parts;
}
