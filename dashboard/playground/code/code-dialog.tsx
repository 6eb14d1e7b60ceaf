/** “View code”: the request of the conversation, to copy into a program. */
import { Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { type ChatBody, chatBodyOf, type Settings } from '../conversation/chat-request.ts';
import type { Turn } from '../conversation/turns.ts';
import { playgroundTexts } from '../playground-texts.ts';
import { codeLanguageNames, codeLanguages, codeOf } from './code.ts';
import { CodeBlock } from './code-block.tsx';

interface CodeDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly models: readonly string[];
  readonly settings: Settings;
  readonly turns: readonly Turn[];
  readonly draft: string;
  readonly proxyUrl: string;
}

export function CodeDialog({ opened, onClose, ...request }: CodeDialogProps) {
  const t = useTexts(playgroundTexts);
  const [language, setLanguage] = useState<string | null>('curl');
  const body = bodyOf(request, t('exampleMessage'));
  return (
    <Dialog opened={opened} onClose={onClose} title={t('viewCode')} size="xl">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('codeHint')}
        </Text>
        <Tabs value={language} onChange={setLanguage} keepMounted={false}>
          <Tabs.List mb="sm">
            {codeLanguages.map((value) => (
              <Tabs.Tab key={value} value={value}>
                {codeLanguageNames[value]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {codeLanguages.map((value) => (
            <Tabs.Panel key={value} value={value}>
              <CodeBlock code={codeOf(value, body, request.proxyUrl)} language={codeLanguageNames[value]} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </Dialog>
  );
}

/** The message that is being written, else the last one that was sent, else an example. */
function bodyOf(
  { models: [model = ''], settings, turns, draft }: Omit<CodeDialogProps, 'opened' | 'onClose'>,
  example: string,
): ChatBody {
  const written = draft.trim() === '' ? undefined : draft;
  const before = written === undefined ? turns.slice(0, -1) : turns;
  const message = written ?? turns.at(-1)?.message ?? example;
  return chatBodyOf({ model, settings, turns: before, message, column: 0 });
}
