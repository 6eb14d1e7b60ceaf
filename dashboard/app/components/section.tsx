/** Parts of a page: one with a heading of its own, in a frame, and one that is drawn after the rest. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useDeferredValue, useId } from 'react';

interface SectionProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Beside the heading, such as a button. */
  readonly aside?: ReactNode;
  readonly children?: ReactNode;
}

export function Section({ title, description, aside, children }: SectionProps) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <Group justify="space-between" align="flex-start" gap="sm" mb={children === undefined ? 0 : 'md'}>
        <Stack gap={2} flex="1 1 240px" miw={0}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {description === undefined ? null : (
            <Text size="sm" c="dimmed" maw={560}>
              {description}
            </Text>
          )}
        </Stack>
        {aside}
      </Group>
      {children}
    </section>
  );
}

/** For what is below the first screen, or beside what the page is for. */
export function DrawnLater({ children }: { children: ReactNode }) {
  const isItsTurn = useDeferredValue(true, false);
  return isItsTurn ? children : <div aria-busy />;
}
