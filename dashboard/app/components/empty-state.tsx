/** What a list shows that has nothing yet: what belongs here, and how to begin. */
import { Group, Stack, Text, Title } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly icon: Icon;
  readonly title: string;
  readonly text: ReactNode;
  /** How to begin. */
  readonly action?: ReactNode;
}

export function EmptyState({ icon: Mark, title, text, action }: EmptyStateProps) {
  return (
    <Stack className="state" align="center" gap="xs">
      <Mark size={28} stroke={1.5} className="state-icon" aria-hidden />
      <Title order={2} size="h4" ta="center">
        {title}
      </Title>
      <Text c="dimmed" maw={460} ta="center">
        {text}
      </Text>
      {action === undefined ? null : <Group mt="xs">{action}</Group>}
    </Stack>
  );
}
