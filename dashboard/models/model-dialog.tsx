/** One model: all its prices, and what the calculator's request costs with it, part by part. */
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { CopyField } from '../app/components/copy-field.tsx';
import { Dialog } from '../app/components/dialogs/dialog.tsx';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { compareDecimals } from '../app/money/decimal.ts';
import { useMay } from '../app/session/permissions.ts';
import { formatCount, formatDay } from '../app/time/format-time.ts';
import { Instant } from '../app/time/instant.tsx';
import { EstimateTable } from './estimate-table.tsx';
import { isPaidByTokens, type Model, type PriceList } from './model.ts';
import { ImagePrices, RatePrices, TokenPrices, UnitPrices } from './model-prices.tsx';
import { ProvidersOf } from './model-providers.tsx';
import { modelsTexts } from './models-texts.ts';
import type { PricedModel } from './select-models.ts';

interface ModelDialogProps {
  /** From the address; undefined closes the dialog. */
  readonly id: string | undefined;
  /** Undefined until they are loaded. */
  readonly priced: readonly PricedModel[] | undefined;
  readonly rubRate: PriceList['rubRate'] | undefined;
  readonly onClose: () => void;
}

export function ModelDialog({ id, priced, rubRate, onClose }: ModelDialogProps) {
  const t = useTexts(modelsTexts);
  // While the dialog fades out, it keeps its content.
  const last = useRef(id);
  if (id !== undefined) last.current = id;
  const shown = priced?.find(({ model }) => model.id === last.current);
  const isRemoved = priced !== undefined && shown === undefined;
  return (
    <Dialog
      opened={id !== undefined}
      onClose={onClose}
      title={isRemoved ? t('removedTitle') : (last.current ?? '')}
      size="lg"
    >
      {isRemoved ? (
        <Text size="sm">{t('removedText')}</Text>
      ) : shown === undefined || rubRate === undefined ? (
        <Skeleton height={320} />
      ) : (
        <Details priced={shown} rubRate={rubRate} />
      )}
    </Dialog>
  );
}

function Details({ priced, rubRate }: { priced: PricedModel; rubRate: PriceList['rubRate'] }) {
  const t = useTexts(modelsTexts);
  const { model, estimate } = priced;
  const mayTry = useMay('keys:manage');
  const hasTokenPrices = isPaidByTokens(model) || compareDecimals(model.perMillionTokens.prompt, '0') > 0;
  return (
    <Stack gap="lg">
      <CopyField key={model.id} label={t('modelId')} value={model.id} />
      <Facts model={model} />
      {model.perImage.length === 0 ? null : <ImagePrices model={model} />}
      {hasTokenPrices ? <TokenPrices model={model} /> : null}
      {model.perUnit.length === 0 ? null : <UnitPrices model={model} />}
      {model.rates.length === 0 ? null : <RatePrices model={model} />}
      {model.providers.length === 0 ? null : <ProvidersOf model={model} />}
      {estimate === undefined ? null : <EstimateTable estimate={estimate} rubRate={rubRate} />}
      {model.kind === 'chat' && mayTry ? (
        <Group justify="flex-end">
          <Button component={Link} to="/playground" search={{ model: model.id } as unknown as true} variant="default">
            {t('tryIt')}
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}

function Facts({ model }: { model: Model }) {
  const t = useTexts(modelsTexts);
  const language = useLanguage();
  const tokens = (count: number) => t('tokens', { count, shown: formatCount(count, language) });
  const facts = [
    [t('kind'), t(model.kind)],
    [t('owner'), model.ownedBy],
    [t('context'), tokens(model.contextTokens)],
    [t('maxOutput'), model.maxOutputTokens === 0 ? undefined : tokens(model.maxOutputTokens)],
    [t('retires'), model.retiresAt === null ? undefined : formatDay(model.retiresAt, language)],
    [t('pricesSince'), <Instant key="since" value={model.pricesSince} />],
  ] as const;
  return (
    <dl className="model-facts">
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
