/** The list of requests. A row is a link to its receipt as a whole. */
import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { Language } from '../../shared/languages.ts';
import { unitsInstead } from '../../shared/usage/billable-units.ts';
import { type Column, DataTable } from '../app/components/data-table.tsx';
import { Status, type Tone } from '../app/components/status.tsx';
import { type Translate, useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { AlignedUsd } from '../app/money/aligned-usd.tsx';
import { type UnitWords, useUnitWords } from '../app/money/unit-words.ts';
import { formatCount } from '../app/time/format-time.ts';
import { Instant } from '../app/time/instant.tsx';
import { activityTexts } from './activity-texts.ts';
import type { ListedRequest } from './queries.ts';

type T = Translate<NonNullable<(typeof activityTexts)['key']>>;

interface RequestTableProps {
  /** Undefined until they are loaded. */
  readonly requests: readonly ListedRequest[] | undefined;
  readonly query: Pick<UseQueryResult, 'error' | 'refetch' | 'isFetching'>;
  readonly empty: ReactNode;
  readonly pager?: ReactNode;
}

export function RequestTable({ requests, query, empty, pager }: RequestTableProps) {
  const t = useTexts(activityTexts);
  const language = useLanguage();
  const words = useUnitWords();
  const columns = useMemo(() => columnsOf({ t, words, language }, requests ?? []), [t, words, language, requests]);
  return (
    <div className="request-table row-links">
      <DataTable
        label={t('title')}
        columns={columns}
        rows={requests}
        rowKey={keyOf}
        query={query}
        empty={empty}
        pager={pager}
      />
    </div>
  );
}

/** An estimate and its correction have the same id. */
const keyOf = ({ requestId, chargedAt, final }: ListedRequest) => `${requestId} ${chargedAt} ${final}`;

interface ColumnTexts {
  readonly t: T;
  readonly words: UnitWords;
  readonly language: Language;
}

function columnsOf({ t, words, language }: ColumnTexts, requests: readonly ListedRequest[]): Column<ListedRequest>[] {
  const amounts = requests.map(({ booked }) => booked);
  const count = (value: number) => formatCount(value, language);
  const output = (request: ListedRequest) => {
    const instead = unitsInstead.find(({ name }) => request[name] > 0);
    return instead === undefined || request.completionTokens > 0
      ? count(request.completionTokens)
      : words.counted(instead.name, request[instead.name]);
  };
  return [
    {
      id: 'time',
      header: t('time'),
      render: ({ requestId, chargedAt }) => (
        <Link
          to="/activity"
          search={((search: object) => ({ ...search, request: requestId })) as unknown as true}
          resetScroll={false}
          className="row-link"
        >
          <Instant value={chargedAt} />
        </Link>
      ),
    },
    { id: 'model', header: t('model'), render: ({ model }) => <span className="request-model">{model}</span> },
    { id: 'key', header: t('key'), render: ({ key }) => <span className="request-key">{nameOfKey(key, t)}</span> },
    {
      id: 'prompt',
      header: t('prompt'),
      align: 'right',
      render: ({ promptTokens, cachedPromptTokens, cacheWriteTokens }) => (
        <Tokens
          total={count(promptTokens)}
          parts={[
            cachedPromptTokens > 0 && t('cached', { count: count(cachedPromptTokens) }),
            cacheWriteTokens > 0 && t('cacheWritten', { count: count(cacheWriteTokens) }),
          ]}
        />
      ),
    },
    {
      id: 'completion',
      header: t('completion'),
      align: 'right',
      render: (request) => (
        <Tokens
          total={output(request)}
          parts={[request.reasoningTokens > 0 && t('reasoning', { count: count(request.reasoningTokens) })]}
        />
      ),
    },
    {
      id: 'cost',
      header: t('cost'),
      align: 'right',
      render: ({ booked }) => <AlignedUsd amount={booked} among={amounts} />,
    },
    { id: 'status', header: t('status'), render: (request) => <RequestStatus request={request} /> },
  ];
}

function Tokens({ total, parts }: { total: string; parts: readonly (string | false)[] }) {
  return (
    <span>
      {total}
      {parts.map((part) =>
        part === false ? null : (
          <Text key={part} size="xs" c="dimmed">
            {part}
          </Text>
        ),
      )}
    </span>
  );
}

export function nameOfKey({ id, name }: ListedRequest['key'], t: T): string {
  return name ?? t('unknownKey', { id });
}

export function RequestStatus({
  request,
}: {
  request: Pick<ListedRequest, 'final' | 'estimated' | 'repeats'> & { booked?: string; charged: string };
}) {
  const t = useTexts(activityTexts);
  const { final, estimated, repeats, booked, charged } = request;
  if (repeats !== null) return <Status tone="neutral">{t('repeated')}</Status>;
  const [tone, text]: [Tone, Parameters<T>[0]] = !final
    ? ['warning', 'estimated']
    : booked !== undefined && booked !== charged
      ? ['good', 'corrected']
      : estimated
        ? ['neutral', 'finalEstimate']
        : ['good', 'final'];
  return <Status tone={tone}>{t(text)}</Status>;
}
