/** The top of every page: its heading, which is the document's title too, and its actions. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { takePageFocus } from '../router/page-change.ts';

interface PageHeaderProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons; the most important one last. */
  readonly actions?: ReactNode;
}

export function PageHeader({ title, description, actions }: PageHeaderProps) {
  const common = useTexts(commonTexts);
  const heading = useRef<HTMLHeadingElement>(null);
  useDocumentTitle(`${title} · ${common('product')}`);
  // After a change of the page, screen readers and the Tab key continue from here.
  useEffect(() => {
    if (takePageFocus()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Group justify="space-between" align="flex-start" gap="md" mb="lg" className="page-header">
      <Stack gap={4} className="page-header-text">
        <Title order={1} ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {description === undefined ? null : (
          <Text c="dimmed" size="sm" maw={640}>
            {description}
          </Text>
        )}
      </Stack>
      {actions === undefined ? null : <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
