/** A part of the page with its heading. */
import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
  /** At the right of the heading. */
  readonly aside?: ReactNode;
}

export function Section({ title, children, aside }: SectionProps) {
  return (
    <section>
      <Group justify="space-between" gap="xs" mb="xs">
        <Title order={2}>{title}</Title>
        {aside}
      </Group>
      {children}
    </section>
  );
}
