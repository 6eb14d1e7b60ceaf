/** What was and will be sent to an endpoint, in a panel beside the list. */
import { Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { SidePanel } from '../app/components/dialogs/side-panel.tsx';
import { Loaded } from '../app/components/loaded.tsx';
import { notifyDone, notifyFailed } from '../app/components/notify.ts';
import { Pager } from '../app/components/pager.tsx';
import { Status, type Tone } from '../app/components/status.tsx';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { useMay } from '../app/session/permissions.ts';
import { Instant } from '../app/time/instant.tsx';
import { eventTexts } from './event-texts.ts';
import { eventTypes, textOfEvent } from './events.ts';
import { type Delivery, deliveriesQuery, endpointsQuery, replayDelivery } from './queries.ts';
import { webhooksTexts } from './webhooks-texts.ts';

interface DeliveriesPanelProps {
  /** Undefined while it is closed. */
  readonly endpointId: string | undefined;
  readonly cursor: string | undefined;
  readonly onClose: () => void;
}

const pollingMs = 5_000;
const toneOf: Readonly<Record<Delivery['status'], Tone>> = { pending: 'warning', delivered: 'good', failed: 'bad' };

export function DeliveriesPanel({ endpointId, cursor, onClose }: DeliveriesPanelProps) {
  const t = useTexts(webhooksTexts);
  // While the panel closes, it still shows them.
  const [shownId, setShownId] = useState(endpointId);
  if (endpointId !== undefined && endpointId !== shownId) setShownId(endpointId);
  return (
    <SidePanel opened={endpointId !== undefined} onClose={onClose} title={t('deliveries')}>
      {shownId === undefined ? null : <Deliveries endpointId={shownId} cursor={cursor} />}
    </SidePanel>
  );
}

function Deliveries({ endpointId, cursor }: { endpointId: string; cursor: string | undefined }) {
  const t = useTexts(webhooksTexts);
  const query = useQuery({ ...deliveriesQuery(endpointId, cursor), refetchInterval: pollingMs });
  const { data: endpoints } = useQuery(endpointsQuery);
  const url = endpoints?.find(({ id }) => id === endpointId)?.url;
  return (
    <Stack gap="md">
      <Stack gap={2}>
        {url === undefined ? null : <Text className="webhook-url">{url}</Text>}
        <Text size="sm" c="dimmed">
          {t('deliveriesText')}
        </Text>
      </Stack>
      <Loaded query={query} skeleton={<DeliveriesSkeleton />}>
        {({ deliveries, nextCursor }) =>
          deliveries.length === 0 ? (
            <Stack gap={2}>
              <Text fw={500}>{t('noDeliveries')}</Text>
              <Text size="sm" c="dimmed">
                {t('noDeliveriesText')}
              </Text>
            </Stack>
          ) : (
            <>
              <ul className="webhook-deliveries" aria-label={t('deliveries')}>
                {deliveries.map((delivery) => (
                  <li key={delivery.id}>
                    <DeliveryEntry delivery={delivery} endpointId={endpointId} />
                  </li>
                ))}
              </ul>
              <Pager cursor={cursor} nextCursor={nextCursor} />
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

function DeliveriesSkeleton() {
  return (
    <Stack gap="md">
      {[1, 2, 3].map((entry) => (
        <Skeleton key={entry} height={96} />
      ))}
    </Stack>
  );
}

interface DeliveryEntryProps {
  readonly delivery: Delivery;
  readonly endpointId: string;
}

function DeliveryEntry({ delivery, endpointId }: DeliveryEntryProps) {
  const t = useTexts(webhooksTexts);
  const nameOf = useEventName();
  const { type, status, attempts, occurredAt, nextAttemptAt, error } = delivery;
  return (
    <Stack gap={4}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
        <Stack gap={0} miw={0}>
          <Text fw={500}>{nameOf(type)}</Text>
          <Text size="sm" c="dimmed">
            {type}
          </Text>
        </Stack>
        <Status tone={toneOf[status]}>{t(status)}</Status>
      </Group>
      <Text size="sm" c="dimmed">
        <Instant value={occurredAt} />
        {` · ${t('attempts', { count: attempts })}`}
      </Text>
      {nextAttemptAt === null || attempts === 0 ? null : (
        <Text size="sm" c="dimmed">
          {`${t('nextAttempt')}: `}
          <Instant value={nextAttemptAt} />
        </Text>
      )}
      {error === null ? null : (
        <Text size="sm" className="webhook-error">
          {error}
        </Text>
      )}
      <Contents delivery={delivery} />
      <ReplayButton delivery={delivery} endpointId={endpointId} />
    </Stack>
  );
}

function Contents({ delivery: { data, response, responseStatus } }: Pick<DeliveryEntryProps, 'delivery'>) {
  const t = useTexts(webhooksTexts);
  const title = responseStatus === null ? t('response') : t('responseStatus', { status: String(responseStatus) });
  return (
    <>
      <details className="webhook-contents">
        <summary>{t('event')}</summary>
        <Code block tabIndex={0}>
          {JSON.stringify(data, null, 2)}
        </Code>
      </details>
      {response === null || response === '' ? null : (
        <details className="webhook-contents">
          <summary>{title}</summary>
          <Code block tabIndex={0}>
            {response}
          </Code>
        </details>
      )}
    </>
  );
}

function ReplayButton({ delivery: { id, status }, endpointId }: DeliveryEntryProps) {
  const t = useTexts(webhooksTexts);
  const describeError = useDescribeError();
  const queries = useQueryClient();
  const mayManage = useMay('webhooks:manage');
  const replay = useMutation({
    mutationFn: () => replayDelivery(endpointId, id),
    onSuccess: async () => {
      notifyDone(t('replayed'));
      await queries.invalidateQueries(endpointsQuery);
    },
    onError: (error) => notifyFailed(describeError(error)),
  });
  if (!mayManage || status === 'pending') return null;
  return (
    <Group>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRefresh size={14} aria-hidden />}
        loading={replay.isPending}
        onClick={() => replay.mutate()}
      >
        {t('replay')}
      </Button>
    </Group>
  );
}

/** That of a test, or of a type which only a newer version knows, is not among those that can be chosen. */
function useEventName(): (type: string) => string {
  const t = useTexts(webhooksTexts);
  const event = useTexts(eventTexts);
  return (type) => {
    const known = eventTypes.find((each) => each === type);
    if (known !== undefined) return event(textOfEvent[known]);
    return type === 'webhook.test' ? t('testEvent') : type;
  };
}
