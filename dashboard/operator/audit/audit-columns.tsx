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
    { id: 'subject', header: t('subject'), render: (entry) => <Subject entry={entry} /> },
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

export function Subject({ entry: { subject, accountId } }: { entry: AuditEntry }) {
  if (accountId === null) return subject;
  return (
    <Link to="/operator/accounts/$id" params={{ id: String(accountId) }} className="operator-link">
      {subject}
    </Link>
  );
}
