/** A small button that copies a text which is shown beside it. Long lists have many, so it is a light one. */
import { ActionIcon } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { copyText } from './copy-field.tsx';
import { notifyDone } from './notify.ts';

const copiedMs = 2_000;

interface CopyIconProps {
  /** Names what is copied: “Copy demo/chat”. */
  readonly label?: string;
  readonly value: string;
  /** Where the text is shown. It is selected if the browser refuses to copy. */
  readonly shownIn?: () => Node | null;
}

export function CopyIcon({ label, value, shownIn }: CopyIconProps) {
  const common = useTexts(commonTexts);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), copiedMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await copyText(value)) return setCopied(true);
    const text = shownIn?.() ?? null;
    if (text !== null) getSelection()?.selectAllChildren(text);
    notifyDone(common('copyByHand'));
  };
  const Mark = isCopied ? IconCheck : IconCopy;
  const shown = isCopied ? common('copied') : (label ?? common('copy'));
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={shown} title={shown} onClick={() => void copy()}>
      <Mark size={15} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}
