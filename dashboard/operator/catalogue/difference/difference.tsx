/** What a catalogue changes: models that come and go, prices, and which customers pay how much more or less. */
import { Code, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { formatCount } from '../../../app/time/format-time.ts';
import { catalogueTexts } from '../catalogue-texts.ts';
import type { Preview } from '../queries.ts';
import { CustomerTable } from './customer-table.tsx';
import { PriceChangeTable } from './price-change-table.tsx';

export function Difference({ preview }: { preview: Preview }) {
  const t = useTexts(catalogueTexts);
  const language = useLanguage();
  const { added, removed, changed, unchanged, customers, customersAffected } = preview;
  const isSame = added.length + removed.length + changed.length === 0;
  return (
    <Stack gap="lg">
      <Text size="sm">
        {isSame ? t('nothingChanges') : null} {t('unchangedCount', { count: unchanged })}
      </Text>
      {changed.length === 0 ? null : (
        <Part title={t('priceChanges', { count: changed.length })}>
          <PriceChangeTable changed={changed} />
        </Part>
      )}
      {added.length === 0 ? null : <Models title={t('added', { count: added.length })} ids={added} />}
      {removed.length === 0 ? null : (
        <Models title={t('removed', { count: removed.length })} text={t('removedText')} ids={removed} />
      )}
      {isSame || (changed.length === 0 && removed.length === 0) ? null : (
        <Part
          title={t('customers', { count: customersAffected, number: formatCount(customersAffected, language) })}
          text={
            customersAffected > customers.length ? t('customersFirst', { count: customers.length }) : t('customersText')
          }
        >
          <CustomerTable customers={customers} />
        </Part>
      )}
    </Stack>
  );
}

function Models({ title, text, ids }: { title: string; text?: string; ids: readonly string[] }) {
  return (
    <Part title={title} text={text}>
      <Group gap="xs">
        {ids.map((id) => (
          <Code key={id}>{id}</Code>
        ))}
      </Group>
    </Part>
  );
}

interface PartProps {
  readonly title: string;
  readonly text?: string | undefined;
  readonly children: ReactNode;
}

function Part({ title, text, children }: PartProps) {
  return (
    <section>
      <Title order={3} size="h5" mb={4}>
        {title}
      </Title>
      {text === undefined ? null : (
        <Text size="sm" c="dimmed" mb="xs">
          {text}
        </Text>
      )}
      {children}
    </section>
  );
}
