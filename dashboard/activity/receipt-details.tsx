/** A receipt: what was requested, how its cost comes about, and what was booked for it. */
import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyIcon } from '../app/components/copy-icon.tsx';
import { Fact, FactList } from '../app/components/fact-list.tsx';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatUsd } from '../app/money/format-money.ts';
import { Usd } from '../app/money/money.tsx';
import { RateName } from '../app/money/rate-name.tsx';
import { formatInstant } from '../app/time/format-time.ts';
import { Instant } from '../app/time/instant.tsx';
import { activityTexts } from './activity-texts.ts';
import type { Receipt } from './queries.ts';
import { ReceiptCost } from './receipt-cost.tsx';
import { nameOfKey } from './request-table.tsx';

export function ReceiptDetails({ receipt }: { receipt: Receipt }) {
  const t = useTexts(activityTexts);
  const {
    requestId,
    repeats,
    model,
    key,
    project,
    user,
    metadata,
    startedAt,
    chargedAt,
    charged,
    price,
    cost,
    correctedFrom,
    transactions,
  } = receipt;
  const language = useLanguage();
  return (
    <Stack gap="lg">
      <div>
        <div className="receipt-charged">
          <Usd amount={charged} />
        </div>
        <Text size="sm" c="dimmed">
          {t(statusOf(receipt))}
        </Text>
      </div>
      <FactList>
        <Fact label={t('model')}>{model}</Fact>
        <Fact label={t('key')}>{nameOfKey(key, t)}</Fact>
        {project ? <Fact label={t('project')}>{project.name}</Fact> : null}
        {user === null ? null : <Fact label={t('user')}>{user}</Fact>}
        {Object.entries(metadata).map(([name, value]) => (
          <Fact key={name} label={name}>
            {value}
          </Fact>
        ))}
        <Fact label={t('started')}>
          <Instant value={startedAt} />
        </Fact>
        <Fact label={t('charged')}>
          <Instant value={chargedAt} />
        </Fact>
        <Fact label={t('requestId')}>
          <Group gap={4} wrap="nowrap" justify="flex-end">
            <span className="mono">{requestId}</span>
            <CopyIcon value={requestId} />
          </Group>
        </Fact>
        {repeats === null ? null : (
          <Fact label={t('repeats')}>
            <RequestLink requestId={repeats} />
          </Fact>
        )}
      </FactList>
      {repeats === null ? (
        <Part title={t('costHeading')}>
          <ReceiptCost cost={cost} />
          <Text size="xs" c="dimmed" mt="xs">
            {cost.rate === null ? null : (
              <>
                <RateName {...cost.rate} />.{' '}
              </>
            )}
            {t('pricesSince', { time: formatInstant(price.effectiveFrom, language) })}
          </Text>
        </Part>
      ) : null}
      {correctedFrom === null ? null : (
        <Part title={t('correctionHeading')}>
          <Text size="sm">
            {t('correctionText', {
              amount: formatUsd(correctedFrom.charged, language),
              time: formatInstant(correctedFrom.chargedAt, language),
            })}
          </Text>
        </Part>
      )}
      <Part title={t('bookings')}>
        <FactList>
          {transactions.map(({ id, createdAt, amount }) => (
            <Fact key={id} label={<Instant value={createdAt} />}>
              <Usd amount={amount} signed />
            </Fact>
          ))}
          {transactions.length === 0 ? <Fact label={t('noBookings')}>{null}</Fact> : null}
          <Fact label={t('balanceAfter')}>
            <strong>
              <Usd amount={receipt.balanceAfter} />
            </strong>
          </Fact>
        </FactList>
      </Part>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h5" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}

/** To its receipt, on the page that shows this one. */
function RequestLink({ requestId }: { requestId: string }) {
  return (
    <Anchor
      component={Link}
      inherit
      to="."
      search={((search: object) => ({ ...search, request: requestId })) as unknown as true}
      resetScroll={false}
      className="mono"
    >
      {requestId}
    </Anchor>
  );
}

function statusOf({ final, estimated, repeats }: Receipt) {
  if (repeats !== null) return 'statusRepeated';
  if (!final) return 'statusEstimated';
  return estimated ? 'statusFinalEstimate' : 'statusFinal';
}
