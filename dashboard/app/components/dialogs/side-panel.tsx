/** A panel at the right for the details of one row, whose address the page keeps. */
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { commonTexts } from '../../i18n/common-texts.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useInertBackground } from './dialog.tsx';

interface SidePanelProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Its heading. */
  readonly title: string;
  readonly children: ReactNode;
}

export function SidePanel({ opened, ...props }: SidePanelProps) {
  const common = useTexts(commonTexts);
  useInertBackground(opened);
  return (
    <Drawer
      opened={opened}
      position="right"
      size={520}
      padding="lg"
      closeButtonProps={{ 'aria-label': common('close') }}
      transitionProps={{ duration: 120 }}
      styles={{ title: { fontSize: 'var(--mantine-font-size-xl)', fontWeight: 600 } }}
      {...props}
    />
  );
}
