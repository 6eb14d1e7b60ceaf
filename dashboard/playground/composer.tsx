/** The field for the next message. It stays in sight at the bottom of the window. */
import { Button, Group, Text, Textarea } from '@mantine/core';
import { IconPlayerStopFilled, IconSend2 } from '@tabler/icons-react';
import { type KeyboardEvent, useRef } from 'react';
import { useTexts } from '../app/i18n/use-texts.ts';
import { playgroundTexts } from './playground-texts.ts';

interface ComposerProps {
  readonly draft: string;
  readonly onDraft: (draft: string) => void;
  readonly isRunning: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
}

export function Composer({ draft, onDraft, isRunning, onSend, onStop }: ComposerProps) {
  const t = useTexts(playgroundTexts);
  const field = useRef<HTMLTextAreaElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends the composition of a character sends nothing.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSend();
  };
  const submit = () => {
    if (isRunning) onStop();
    else onSend();
    // The button changes under the focus.
    field.current?.focus();
  };
  return (
    <div className="composer">
      <Textarea
        ref={field}
        aria-label={t('message')}
        placeholder={t('messageHint')}
        value={draft}
        onChange={({ currentTarget }) => onDraft(currentTarget.value)}
        onKeyDown={onKeyDown}
        autosize
        minRows={2}
        maxRows={10}
        variant="unstyled"
      />
      <Group gap="xs">
        <Text size="xs" c="dimmed" className="composer-hint">
          {t('enterSends')}
        </Text>
        {isRunning ? (
          <Button
            variant="default"
            ml="auto"
            leftSection={<IconPlayerStopFilled size={14} aria-hidden />}
            onClick={submit}
          >
            {t('stop')}
          </Button>
        ) : (
          <Button
            ml="auto"
            leftSection={<IconSend2 size={16} aria-hidden />}
            disabled={draft.trim() === ''}
            onClick={submit}
          >
            {t('send')}
          </Button>
        )}
      </Group>
    </div>
  );
}
