/** The columns of the audit log. */
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../app/components/data-table.tsx';
import type { Translate } from '../../app/i18n/use-texts.ts';
import { Instant } from '../../app/time/instant.tsx';
import { textKeyOf } from './audit-actions.ts';
import type { auditTexts } from './audit-texts.ts';
import type { AuditEntry } from './queries.ts';

type T = Translate<NonNullable<(typeof auditTexts)['key']>>;

export function auditColumns(t: T, show: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  return [
    { id: 'at', header: t('at'), render: ({ at }) => <Instant value={at} /> },
    { id: 'actor', header: t('who'), render: ({ actor }) => actor },
    { id: 'action', header: t('action'), render: ({ action }) => <ActionName action={action} t={t} /> },
    { id: 'subject', header: t('subject'), render: (entry) => <Subject entry={entry} t={t} /> },
    {
      id: 'reason',
      header: t('reason'),
      render: ({ reason }) => <div className="operator-wide">{reason ?? '—'}</div>,
    },
    {
      id: 'details',
      header: t('details'),
      isActions: true,
      render: (entry) => (
        <Button
          variant="default"
          size="compact-sm"
          className="operator-action"
          aria-label={t('detailsOf', { id: entry.id })}
          onClick={() => show(entry)}
        >
          {t('details')}
        </Button>
      ),
    },
  ];
}

export function ActionName({ action, t }: { action: string; t: T }) {
  const key = textKeyOf(action);
  return (
    <Text span inherit fw={500}>
      {key === undefined ? action : t(key)}
    </Text>
  );
}

export function Subject({ entry: { subject, accountId }, t }: { entry: AuditEntry; t: T }) {
  if (accountId === null) return subject;
  const link = (text: string) => (
    <Link to="/operator/accounts/$id" params={{ id: String(accountId) }} className="operator-link">
      {text}
    </Link>
  );
  if (subject === `account ${accountId}`) return link(t('accountOf', { id: accountId }));
  return (
    <div className="operator-cell">
      <span>{subject}</span>
      <Text span size="xs" c="dimmed">
        {link(t('accountOf', { id: accountId }))}
      </Text>
    </div>
  );
}
