/** A text to copy, such as a new key: a read-only field and a button. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';

export function CopyField({ label, value }: { label: string; value: string }) {
  const common = useTexts(commonTexts);
  const input = useRef<HTMLInputElement>(null);
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const copy = async () => {
    const isCopied = await copyText(value);
    if (!isCopied) input.current?.select();
    setOutcome(isCopied ? 'copied' : 'refused');
  };
  return (
    <div>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          ref={input}
          label={label}
          value={value}
          readOnly
          onFocus={({ currentTarget }) => currentTarget.select()}
          className="copy-field"
          classNames={{ input: 'mono' }}
        />
        <Button variant="default" onClick={() => void copy()} className="copy-button">
          {common(outcome === 'copied' ? 'copied' : 'copy')}
        </Button>
      </Group>
      <Text size="xs" c="dimmed" mt={4} aria-live="polite">
        {outcome === 'refused' ? common('copyByHand') : ''}
      </Text>
    </div>
  );
}

/** Browsers refuse it on plain HTTP. Resolves with whether it was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
