/** The documents of the account, newest first. A row leads to its document. */
import { Text } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Language } from '../../../shared/languages.ts';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Pager } from '../../app/components/pager.tsx';
import { type Translate, useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatDay } from '../../app/time/format-time.ts';
import { Paid } from '../payments/payment-words.tsx';
import { documentsTexts } from './documents-texts.ts';
import { DownloadIcon } from './download-button.tsx';
import { type AccountingDocument, documentName, documentsQuery, pageDocuments } from './queries.ts';

/** `offset`: how many newer ones there are. */
export function DocumentTable({ offset }: { offset: number }) {
  const t = useTexts(documentsTexts);
  const language = useLanguage();
  const query = useQuery(documentsQuery(offset));
  const { documents, total = 0 } = query.data ?? {};
  const next = offset + pageDocuments;
  const pager = (
    <Pager cursor={offset === 0 ? undefined : String(offset)} nextCursor={next < total ? String(next) : null} />
  );
  return (
    <div className="row-links">
      <DataTable
        label={t('documents')}
        columns={columnsOf(t, language)}
        rows={documents}
        rowKey={({ id }) => id}
        query={query}
        empty={<EmptyState icon={IconFileText} title={t('emptyTitle')} text={t('emptyText')} />}
        skeletonRows={5}
        pager={offset === 0 && next >= total ? undefined : pager}
      />
    </div>
  );
}

function columnsOf(
  t: Translate<NonNullable<(typeof documentsTexts)['key']>>,
  language: Language,
): Column<AccountingDocument>[] {
  return [
    { id: 'document', header: t('document'), render: (document) => <DocumentLink document={document} /> },
    {
      id: 'date',
      header: t('date'),
      render: ({ date }) => <span className="instant">{formatDay(date, language)}</span>,
    },
    {
      id: 'period',
      header: t('period'),
      render: ({ periodFrom, periodTo }) =>
        periodFrom === null || periodTo === null
          ? '—'
          : `${formatDay(periodFrom, language)} – ${formatDay(periodTo, language)}`,
    },
    {
      id: 'amount',
      header: t('amount'),
      align: 'right',
      render: ({ amount, currency }) => <Paid amount={amount} currency={currency} />,
    },
    {
      id: 'actions',
      header: t('actions'),
      isActions: true,
      render: (document) => <DownloadIcon documentId={document.id} name={documentName(document, t)} />,
    },
  ];
}

function DocumentLink({ document }: { document: AccountingDocument }) {
  const t = useTexts(documentsTexts);
  return (
    <span>
      <Link
        to="/billing"
        search={((search: object) => ({ ...search, document: document.id })) as unknown as true}
        resetScroll={false}
        className="row-link"
      >
        {documentName(document, t)}
      </Link>
      {document.status === 'corrected' ? (
        <Text size="xs" c="dimmed">
          {t('corrected')}
        </Text>
      ) : null}
    </span>
  );
}
