/** The prices that a model has had: what customers pay, what the provider takes, and by how much each version changed. */
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable, loadedQuery } from '../../../app/components/data-table.tsx';
import { Dialog } from '../../../app/components/dialogs/dialog.tsx';
import { Loaded } from '../../../app/components/loaded.tsx';
import { type Translate, useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { formatMarkup } from '../../../app/money/format-money.ts';
import { Usd } from '../../../app/money/money.tsx';
import { Instant } from '../../../app/time/instant.tsx';
import { catalogueTexts } from '../catalogue-texts.ts';
import { Percent, PriceName } from '../price-words.tsx';
import { type PriceVersion, priceHistoryQuery } from '../queries.ts';
import { linesOf, type PriceLine } from './price-lines.ts';

interface PriceHistoryDialogProps {
  /** Undefined while it is closed. */
  readonly model: string | undefined;
  readonly onClose: () => void;
}

export function PriceHistoryDialog({ model, onClose }: PriceHistoryDialogProps) {
  const t = useTexts(catalogueTexts);
  return (
    <Dialog opened={model !== undefined} onClose={onClose} title={t('historyOf', { model: model ?? '' })} size="xl">
      {model === undefined ? null : <History model={model} />}
    </Dialog>
  );
}

function History({ model }: { model: string }) {
  const t = useTexts(catalogueTexts);
  const query = useQuery(priceHistoryQuery(model));
  return (
    <Loaded query={query} skeleton={<Skeleton height={260} />}>
      {({ prices }) => (
        <Stack gap="xl">
          {prices.map((version, index) => (
            <Version key={version.version} version={version} earlier={prices[index + 1]} isCurrent={index === 0} />
          ))}
          <Text size="xs" c="dimmed">
            {t('historyNote')}
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}

interface VersionProps {
  readonly version: PriceVersion;
  /** The one that it replaced. */
  readonly earlier: PriceVersion | undefined;
  readonly isCurrent: boolean;
}

function Version({ version, earlier, isCurrent }: VersionProps) {
  const t = useTexts(catalogueTexts);
  const language = useLanguage();
  return (
    <section className="operator-small">
      <Title order={3} size="h5">
        {t(isCurrent ? 'sinceNow' : 'since')} <Instant value={version.effectiveFrom} />
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        {t('versionAndMarkup', { version: version.version, markup: formatMarkup(version.markup, language) })}
      </Text>
      <DataTable
        label={t('pricesOfVersion', { version: version.version })}
        columns={columnsOf(t)}
        rows={linesOf(version, earlier)}
        rowKey={({ name }) => name}
        query={loadedQuery}
        empty={null}
      />
    </section>
  );
}

function columnsOf(t: Translate<NonNullable<(typeof catalogueTexts)['key']>>): Column<PriceLine>[] {
  return [
    { id: 'price', header: t('price'), render: ({ name }) => <PriceName name={name} /> },
    { id: 'provider', header: t('providerPrice'), align: 'right', render: ({ provider }) => <Usd amount={provider} /> },
    { id: 'listed', header: t('listedPrice'), align: 'right', render: ({ listed }) => <Usd amount={listed} /> },
    {
      id: 'change',
      header: t('changeOf'),
      align: 'right',
      render: ({ isNew, percent }) => (isNew ? t('new') : <Percent value={percent} />),
    },
  ];
}
