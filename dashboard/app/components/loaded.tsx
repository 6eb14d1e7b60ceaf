/** A part of a page that needs one query: its skeleton, then its content, or why there is none. */
import { Alert, Button, Group, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState, useErrorText } from '../errors/error-state.tsx';
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';

type Query<Data> = Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch' | 'isFetching'>;
export type FailingQuery = Pick<Query<unknown>, 'error' | 'refetch' | 'isFetching'>;

interface LoadedProps<Data> {
  readonly query: Query<Data>;
  /** As large as the content, so that nothing jumps. */
  readonly skeleton: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ query, skeleton, children }: LoadedProps<Data>) {
  const { data, error } = query;
  if (data === undefined) {
    if (error !== null) return <ErrorState error={error} onRetry={() => void query.refetch()} />;
    return <LateSkeleton>{skeleton}</LateSkeleton>;
  }
  return (
    <>
      <OutdatedNote query={query} />
      {children(data)}
    </>
  );
}

/** Takes its place immediately and appears after a moment, so that fast responses do not flicker. */
export function LateSkeleton({ children }: { children: ReactNode }) {
  const common = useTexts(commonTexts);
  return (
    <div className="late" role="status" aria-busy="true" aria-label={common('loading')}>
      {children}
    </div>
  );
}

/** In one or two lines, for a small part of a page, of a query that has failed. */
export function NotLoaded({ query: { error, refetch, isFetching } }: { query: FailingQuery }) {
  const common = useTexts(commonTexts);
  const { title } = useErrorText(error);
  return (
    <Group role="alert" gap="xs" className="not-loaded">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Button variant="default" size="compact-xs" loading={isFetching} onClick={() => void refetch()}>
        {common('tryAgain')}
      </Button>
    </Group>
  );
}

/** Above content that is shown although its refresh failed. */
export function OutdatedNote({ query }: { query: FailingQuery }) {
  return query.error === null ? null : <Outdated error={query.error} query={query} />;
}

function Outdated({ error, query }: { error: unknown; query: Pick<Query<unknown>, 'refetch' | 'isFetching'> }) {
  const common = useTexts(commonTexts);
  const { title } = useErrorText(error);
  return (
    <Alert color="yellow" variant="outline" mb="md" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {title}. {common('refreshFailed')}
        </Text>
        <Button variant="default" size="xs" loading={query.isFetching} onClick={() => void query.refetch()}>
          {common('tryAgain')}
        </Button>
      </Group>
    </Alert>
  );
}
