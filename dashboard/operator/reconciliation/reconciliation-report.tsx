/** What a reconciliation found. */
import { Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable, loadedQuery } from '../../app/components/data-table.tsx';
import { StatTile } from '../../app/components/stat-tile.tsx';
import { type Translate, useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { Usd } from '../../app/money/money.tsx';
import { formatCount } from '../../app/time/format-time.ts';
import { Instant } from '../../app/time/instant.tsx';
import { Section } from '../section.tsx';
import type { Drift, DriftingAccount, Reconciliation, Violation } from './queries.ts';
import { reconciliationTexts } from './reconciliation-texts.ts';

type T = Translate<NonNullable<(typeof reconciliationTexts)['key']>>;

const driftNames = ['d1', 'd2', 'd3', 'd4'] as const satisfies readonly (keyof Drift)[];

export function ReconciliationReport({ report }: { report: Reconciliation }) {
  const t = useTexts(reconciliationTexts);
  const language = useLanguage();
  const { ok, finishedAt, accounts, drift, violations, driftingAccounts, undecidedAccounts } = report;
  const count = (value: number) => formatCount(value, language);
  return (
    <Stack gap="xl">
      <div className="tiles">
        <StatTile
          label={t('result')}
          value={
            <Text span inherit {...(!ok && { c: 'var(--mantine-color-error)' })}>
              {t(ok ? 'ok' : 'notOk')}
            </Text>
          }
          detail={<Instant value={finishedAt} />}
        />
        <StatTile
          label={t('accounts')}
          value={count(accounts)}
          detail={
            undecidedAccounts === 0
              ? t('allDecided')
              : t('undecided', { count: undecidedAccounts, number: count(undecidedAccounts) })
          }
        />
        <StatTile label={t('drifting')} value={count(driftingAccounts.length)} detail={t('driftingDetail')} />
        <StatTile label={t('violations')} value={count(violations.length)} detail={t('violationsDetail')} />
      </div>
      <Section title={t('drift')}>
        <DataTable
          label={t('drift')}
          columns={driftColumns(t, drift)}
          rows={driftNames}
          rowKey={(name) => name}
          query={loadedQuery}
          empty={null}
        />
      </Section>
      <Section title={t('driftingAccounts')}>
        <DataTable
          label={t('driftingAccounts')}
          columns={accountColumns(t)}
          rows={driftingAccounts}
          rowKey={({ accountId }) => accountId}
          query={loadedQuery}
          empty={<Nothing text={t('noneDrifting')} />}
        />
      </Section>
      <Section title={t('violations')}>
        <DataTable
          label={t('violations')}
          columns={violationColumns(t)}
          rows={violations}
          rowKey={({ kind, subject, message }) => `${kind} ${subject} ${message}`}
          query={loadedQuery}
          empty={<Nothing text={t('noViolations')} />}
        />
      </Section>
    </Stack>
  );
}

function Nothing({ text }: { text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}

function driftColumns(t: T, drift: Drift): Column<(typeof driftNames)[number]>[] {
  return [
    { id: 'what', header: t('compared'), render: (name) => t(name) },
    { id: 'amount', header: t('difference'), align: 'right', render: (name) => <Usd amount={drift[name]} /> },
  ];
}

function accountColumns(t: T): Column<DriftingAccount>[] {
  return [
    {
      id: 'account',
      header: t('account'),
      render: ({ accountId, email }) => <AccountLink accountId={accountId}>{email ?? `#${accountId}`}</AccountLink>,
    },
    ...driftNames.map(
      (name): Column<DriftingAccount> => ({
        id: name,
        header: t(`${name}Short`),
        align: 'right',
        render: ({ drift }) => <Usd amount={drift[name]} signed />,
      }),
    ),
  ];
}

function violationColumns(t: T): Column<Violation>[] {
  return [
    { id: 'kind', header: t('rule'), render: ({ kind }) => <span className="mono">{kind}</span> },
    {
      id: 'subject',
      header: t('subject'),
      render: ({ subject, accountId }) =>
        accountId === null ? subject : <AccountLink accountId={accountId}>{subject}</AccountLink>,
    },
    { id: 'message', header: t('found'), render: ({ message }) => <div className="operator-wide">{message}</div> },
    {
      id: 'amount',
      header: t('difference'),
      align: 'right',
      render: ({ amount }) => (amount === null ? '—' : <Usd amount={amount} signed />),
    },
  ];
}

function AccountLink({ accountId, children }: { accountId: number; children: string }) {
  return (
    <Link to="/operator/accounts/$id" params={{ id: String(accountId) }} className="operator-link">
      {children}
    </Link>
  );
}
