/** Something that can be done, with what it is at the left and its button at the right. */
import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface ActionRowProps {
  readonly title: string;
  readonly text: ReactNode;
  readonly children: ReactNode;
}

export function ActionRow({ title, text, children }: ActionRowProps) {
  return (
    <Group justify="space-between" gap="sm">
      <Stack gap={0} flex="1 1 240px" maw={520}>
        <Text fw={500}>{title}</Text>
        <Text size="sm" c="dimmed" component="div">
          {text}
        </Text>
      </Stack>
      {children}
    </Group>
  );
}
