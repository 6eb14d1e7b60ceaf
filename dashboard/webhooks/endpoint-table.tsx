/** The endpoints, each with its state and its events. */
import { Stack, Text } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../app/components/data-table.tsx';
import { EmptyState } from '../app/components/empty-state.tsx';
import { Status } from '../app/components/status.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { Instant } from '../app/time/instant.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { eventTypes } from './events.ts';
import { type Endpoint, endpointsQuery } from './queries.ts';
import { webhooksTexts } from './webhooks-texts.ts';

/** An endpoint comes to rest without anyone being here. */
const pollingMs = 15_000;

export function EndpointTable({ onOpen }: { onOpen: (id: string) => void }) {
  const t = useTexts(webhooksTexts);
  const query = useQuery({ ...endpointsQuery, refetchInterval: pollingMs });
  const columns: Column<Endpoint>[] = [
    { id: 'url', header: t('url'), render: ({ url }) => <span className="webhook-url">{url}</span> },
    { id: 'status', header: t('status'), render: (endpoint) => <EndpointState endpoint={endpoint} /> },
    { id: 'events', header: t('events'), render: (endpoint) => <EventNames endpoint={endpoint} /> },
    { id: 'created', header: t('created'), render: ({ createdAt }) => <Instant value={createdAt} /> },
    {
      id: 'actions',
      header: t('actions'),
      isActions: true,
      render: (endpoint) => <EndpointActions endpoint={endpoint} onOpen={() => onOpen(endpoint.id)} />,
    },
  ];
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={query.data}
      rowKey={({ id }) => id}
      query={query}
      empty={<EmptyState icon={IconWebhook} title={t('emptyTitle')} text={t('emptyText')} />}
      skeletonRows={3}
    />
  );
}

function EndpointState({ endpoint: { active, restedAt, restReason, formerSecretEndsAt } }: { endpoint: Endpoint }) {
  const t = useTexts(webhooksTexts);
  const isResting = !active && restedAt !== null;
  const tone = active ? 'good' : isResting ? 'bad' : 'neutral';
  return (
    <Stack gap={0} className="webhook-state">
      <Status tone={tone}>{t(active ? 'active' : isResting ? 'resting' : 'inactive')}</Status>
      {isResting && restReason !== null ? (
        <Text inherit c="dimmed" className="webhook-reason">
          {restReason}
        </Text>
      ) : null}
      {formerSecretEndsAt === null ? null : (
        <Text inherit c="dimmed">
          {`${t('formerSecret')} `}
          <Instant value={formerSecretEndsAt} />
        </Text>
      )}
    </Stack>
  );
}

/** As many as fit below each other. */
const shownMax = 2;

function EventNames({ endpoint: { events } }: { endpoint: Endpoint }) {
  const t = useTexts(webhooksTexts);
  const [first = ''] = events;
  if (eventTypes.every((type) => events.includes(type))) return t('allEvents');
  if (events.length > shownMax) {
    return <span title={events.join(', ')}>{t('moreEvents', { first, others: String(events.length - 1) })}</span>;
  }
  return (
    <Stack gap={0}>
      {events.map((type) => (
        <span key={type} className="no-wrap">
          {type}
        </span>
      ))}
    </Stack>
  );
}
