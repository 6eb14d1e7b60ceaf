/** The heading of a page without a log-in, its content, and the way on. */
import { Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { commonTexts } from '../app/i18n/common-texts.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import type { PagePath } from '../app/router/page-change.ts';

interface CardProps {
  readonly title: string;
  readonly text?: ReactNode;
  readonly children?: ReactNode;
}

export function Card({ title, text, children }: CardProps) {
  const common = useTexts(commonTexts);
  useDocumentTitle(`${title} · ${common('product')}`);
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Title order={1}>{title}</Title>
        {text === undefined ? null : <Text c="dimmed">{text}</Text>}
      </Stack>
      {children}
    </Stack>
  );
}

export function CardLink({ to, children }: { to: PagePath; children: string }) {
  return (
    <Link to={to} className="link card-link">
      {children}
    </Link>
  );
}
