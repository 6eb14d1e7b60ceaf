/** An error in the reader's language, and what a page or a part of it shows in place of what could not be loaded. */

import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { codeTexts } from './code-texts.ts';
import { describeError, type ErrorText } from './describe-error.ts';
import { errorTexts } from './error-texts.ts';

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const t = useTexts(errorTexts);
  const common = useTexts(commonTexts);
  const { title, text, detail, requestId, isOutdated } = useErrorText(error);
  return (
    <Stack className="state" role="alert" align="center" gap="xs">
      <IconAlertCircle size={28} stroke={1.5} className="state-icon" aria-hidden />
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw={460} ta="center">
        {text}
      </Text>
      <ErrorDetail>{detail}</ErrorDetail>
      {requestId === undefined ? null : (
        <Text c="dimmed" size="xs" className="request-id">
          {t('requestId', { id: requestId })}
        </Text>
      )}
      <Group mt="xs">
        {isOutdated ? (
          <Button variant="default" onClick={() => location.reload()}>
            {t('reload')}
          </Button>
        ) : onRetry === undefined ? null : (
          <Button variant="default" onClick={onRetry}>
            {common('tryAgain')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** What the API itself said, where it has facts that our words have not. It is always in English. */
export function ErrorDetail({ children }: { children: string | undefined }) {
  if (children === undefined) return null;
  return (
    <Text size="xs" c="dimmed" mt={4} lang="en" className="error-detail">
      {children}
    </Text>
  );
}

/** Of an error that a component shows. */
export const useErrorText = (error: unknown): ErrorText => useDescribeError()(error);

/** For errors that arise later, such as in an event handler. */
export function useDescribeError(): (error: unknown) => ErrorText {
  const words = { general: useTexts(errorTexts), ofCode: useTexts(codeTexts) };
  return (error) => describeError(error, words);
}
