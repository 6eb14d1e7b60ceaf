/** What the provider, an operator or a bank statement said about a payment, as it was received. */
import { Accordion, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../app/components/loaded.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { Instant } from '../../app/time/instant.tsx';
import { paymentsTexts } from './payments-texts.ts';
import { type PaymentEvent, paymentEventsQuery } from './queries.ts';

export function PaymentEvents({ paymentId }: { paymentId: string }) {
  const t = useTexts(paymentsTexts);
  const query = useQuery(paymentEventsQuery(paymentId));
  return (
    <section>
      <Title order={3} size="h5" mb={6}>
        {t('events')}
      </Title>
      <Loaded query={query} skeleton={<Skeleton height={90} />}>
        {({ events }) =>
          events.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('noEvents')}
            </Text>
          ) : (
            <Accordion variant="default" order={4} chevronPosition="left">
              {events.map((event) => (
                <Event key={event.id} event={event} />
              ))}
            </Accordion>
          )
        }
      </Loaded>
    </section>
  );
}

function Event({ event: { id, kind, body, receivedAt } }: { event: PaymentEvent }) {
  const t = useTexts(paymentsTexts);
  return (
    <Accordion.Item value={String(id)}>
      <Accordion.Control>
        <span className="operator-event">
          {t(kind)}
          <Text span size="xs" c="dimmed">
            <Instant value={receivedAt} />
          </Text>
        </span>
      </Accordion.Control>
      <Accordion.Panel>
        <pre className="operator-event-body">{readable(body)}</pre>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

/** JSON on several lines; anything else as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
