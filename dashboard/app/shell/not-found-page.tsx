/** The 404 page. */
import { Button, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../i18n/use-texts.ts';
import { shellTexts } from './shell-texts.ts';

export function NotFoundPage() {
  const t = useTexts(shellTexts);
  useDocumentTitle(t('notFoundTitle'));
  return (
    <Stack component="main" align="center" gap="xs" className="state not-found">
      <Text c="dimmed" fw={600}>
        404
      </Text>
      <Title order={1}>{t('notFoundTitle')}</Title>
      <Text c="dimmed" ta="center">
        {t('notFoundText')}
      </Text>
      <Button component={Link} to="/" variant="default" mt="xs">
        {t('toOverview')}
      </Button>
    </Stack>
  );
}
