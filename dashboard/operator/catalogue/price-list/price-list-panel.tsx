/** A published price list: the one that is compared daily, or another, and what it says differently. */
import { Alert, Button, Group, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LateSkeleton, Loaded } from '../../../app/components/loaded.tsx';
import { FormError } from '../../../app/errors/form-error.tsx';
import { useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { formatInstant } from '../../../app/time/format-time.ts';
import { UploadButton } from '../../upload-button.tsx';
import { comparePriceList, type PriceList, type PriceListComparison, priceListStateQuery } from '../queries.ts';
import { ComparedList } from './compared-list.tsx';
import { priceListTexts } from './price-list-texts.ts';

interface PriceListPanelProps {
  /** The changed catalogue file, to be checked and applied. */
  readonly onTaken: (file: string) => void;
}

export function PriceListPanel({ onTaken }: PriceListPanelProps) {
  const t = useTexts(priceListTexts);
  const state = useQuery(priceListStateQuery);
  const [text, setText] = useState('');
  const compare = useMutation({ mutationFn: comparePriceList });
  return (
    <Loaded query={state} skeleton={<Skeleton height={200} />}>
      {(data) => (
        <Stack gap="lg">
          <Text size="sm" c="dimmed" maw={640}>
            {t('intro')}
          </Text>
          <DailyState state={data} />
          <Group gap="xs">
            {data.url === null ? null : (
              <Button
                loading={compare.isPending && compare.variables === undefined}
                onClick={() => compare.mutate(undefined)}
              >
                {t('compareWith', { host: hostOf(data.url) })}
              </Button>
            )}
            <UploadButton
              variant="default"
              label={t('upload')}
              accept=".json,application/json"
              onFile={(file) => void file.text().then(compare.mutate)}
            />
          </Group>
          <Textarea
            label={t('list')}
            placeholder={t('listPlaceholder')}
            rows={4}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Group>
            <Button
              variant="default"
              disabled={text.trim() === ''}
              loading={compare.isPending && compare.variables === text}
              onClick={() => compare.mutate(text)}
            >
              {t('compare')}
            </Button>
          </Group>
          <FormError error={compare.error} />
          <div aria-live="polite">
            {compare.isPending ? (
              <LateSkeleton>
                <Skeleton height={200} />
              </LateSkeleton>
            ) : compare.data === undefined ? (
              <LastComparison state={data} onTaken={onTaken} />
            ) : (
              <Fresh key={compare.submittedAt} comparison={compare.data} list={compare.variables} onTaken={onTaken} />
            )}
          </div>
        </Stack>
      )}
    </Loaded>
  );
}

function DailyState({ state }: { state: PriceList }) {
  const t = useTexts(priceListTexts);
  const language = useLanguage();
  const { url, appliesDecreases, lastAttempt } = state;
  if (url === null) return <Text size="sm">{t('noUrl')}</Text>;
  const failure = lastAttempt?.error ?? null;
  return (
    <>
      <Text size="sm">{t(appliesDecreases ? 'dailyApplies' : 'daily', { host: hostOf(url) })}</Text>
      {lastAttempt === null || failure === null ? null : (
        <Alert color="red" variant="outline" title={t('failed')}>
          {t('failedText', { time: formatInstant(lastAttempt.startedAt, language), error: failure })}
        </Alert>
      )}
    </>
  );
}

function LastComparison({ state: { lastComparison }, onTaken }: { state: PriceList } & PriceListPanelProps) {
  const t = useTexts(priceListTexts);
  const language = useLanguage();
  if (lastComparison === null) return null;
  const { comparedAt, applied, appliedVersion } = lastComparison;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t('comparedAt', { time: formatInstant(comparedAt, language) })}{' '}
        {appliedVersion === null ? null : t('appliedCount', { count: applied.length, version: appliedVersion })}
      </Text>
      <ComparedList comparison={lastComparison} list={undefined} onTaken={onTaken} />
    </Stack>
  );
}

interface FreshProps extends PriceListPanelProps {
  readonly comparison: PriceListComparison;
  readonly list: string | undefined;
}

function Fresh({ comparison, ...props }: FreshProps) {
  const t = useTexts(priceListTexts);
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t('comparedNow', { version: comparison.version })}
      </Text>
      <ComparedList comparison={comparison} {...props} />
    </Stack>
  );
}

const hostOf = (url: string) => new URL(url).host;
