/** The columns of the audit log of the organization. */
import { Text, UnstyledButton } from '@mantine/core';
import type { Column } from '../../app/components/data-table.tsx';
import type { Translate } from '../../app/i18n/use-texts.ts';
import { Instant } from '../../app/time/instant.tsx';
import { ActionName } from '../../operator/audit/audit-columns.tsx';
import type { auditTexts } from '../../operator/audit/audit-texts.ts';
import { type Change, changesOf } from '../../operator/audit/changes-of.ts';
import type { AuditEntry } from '../../operator/audit/queries.ts';

type T = Translate<NonNullable<(typeof auditTexts)['key']>>;

/** In a row; the dialog shows all. */
const changesMax = 2;

export function auditLogColumns(t: T, show: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  return [
    { id: 'at', header: t('at'), render: ({ at }) => <Instant value={at} /> },
    { id: 'actor', header: t('who'), render: ({ actor }) => <span className="organization-actor">{actor}</span> },
    {
      id: 'action',
      header: t('action'),
      render: (entry) => (
        <UnstyledButton className="row-link" fz="inherit" onClick={() => show(entry)}>
          <ActionName action={entry.action} t={t} />
        </UnstyledButton>
      ),
    },
    { id: 'subject', header: t('subject'), render: ({ subject }) => shorten(subject) },
    { id: 'changes', header: t('changes'), render: (entry) => <Changes of={changesOf(entry)} /> },
  ];
}

/** Of a UUID, the end: ids of the same day begin alike. The dialog has it whole. A line is not broken after the dots. */
const shorten = (subject: string) => subject.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-(?=[\da-f]{12}$)/, '…\u2060');

function Changes({ of: changes }: { of: readonly Change[] }) {
  if (changes.length === 0) return '—';
  const hidden = changes.length - changesMax;
  return (
    <div className="operator-wide">
      {changes.slice(0, changesMax).map((change) => (
        <Text key={change.field} size="xs" lineClamp={2} className="operator-wrap">
          {compact(change)}
        </Text>
      ))}
      {hidden > 0 ? (
        <Text size="xs" c="dimmed">
          +{hidden}
        </Text>
      ) : null}
    </div>
  );
}

function compact({ field, before, after = '—' }: Change): string {
  return before === undefined ? `${field}: ${after}` : `${field}: ${before} → ${after}`;
}
