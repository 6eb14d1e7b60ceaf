/** What the API itself said, where it has facts that our words have not. It is always in English. */
import { Text } from '@mantine/core';

export function ErrorDetail({ children }: { children: string | undefined }) {
  if (children === undefined) return null;
  return (
    <Text size="xs" c="dimmed" mt={4} lang="en" className="error-detail">
      {children}
    </Text>
  );
}
