/** Mails in one state, newest first. */
import { Text } from '@mantine/core';
import { IconMail, IconMailCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Pager } from '../../app/components/pager.tsx';
import { Status, type Tone } from '../../app/components/status.tsx';
import { type Translate, useTexts } from '../../app/i18n/use-texts.ts';
import { Instant } from '../../app/time/instant.tsx';
import { mailsTexts } from './mails-texts.ts';
import { type Mail, type MailsSearch, mailsQuery } from './queries.ts';
import { ResendButton } from './resend-button.tsx';

const pollingMs = 15_000;
const tones: Readonly<Record<Mail['state'], Tone>> = { failed: 'bad', queued: 'neutral', sent: 'good' };
const stateTexts = { failed: 'stateFailed', queued: 'stateQueued', sent: 'stateSent' } as const;

type T = Translate<NonNullable<(typeof mailsTexts)['key']>>;

export function MailTable({ search }: { search: MailsSearch }) {
  const t = useTexts(mailsTexts);
  const query = useQuery({ ...mailsQuery(search), refetchInterval: pollingMs });
  const isFailed = (search.state ?? 'failed') === 'failed';
  const empty = isFailed ? (
    <EmptyState icon={IconMailCheck} title={t('noneFailed')} text={t('noneFailedText')} />
  ) : (
    <EmptyState icon={IconMail} title={t('noneTitle')} text={t('noneText')} />
  );
  return (
    <DataTable
      label={t('title')}
      columns={columnsOf(t)}
      rows={query.data?.rows}
      rowKey={({ id }) => id}
      query={query}
      empty={empty}
      pager={<Pager cursor={search.cursor} nextCursor={query.data?.nextCursor} />}
    />
  );
}

function columnsOf(t: T): Column<Mail>[] {
  return [
    {
      id: 'recipient',
      header: t('recipient'),
      render: ({ recipient, kind }) => (
        <div className="operator-cell">
          <Text span inherit fw={500}>
            {recipient}
          </Text>
          <Text span size="xs" c="dimmed">
            {t(kind)}
          </Text>
        </div>
      ),
    },
    {
      id: 'state',
      header: t('state'),
      render: ({ state }) => <Status tone={tones[state]}>{t(stateTexts[state])}</Status>,
    },
    { id: 'created', header: t('created'), render: ({ createdAt }) => <Instant value={createdAt} /> },
    { id: 'attempts', header: t('attempts'), align: 'right', render: ({ attempts }) => attempts },
    { id: 'outcome', header: t('outcome'), render: (mail) => <Outcome mail={mail} t={t} /> },
    { id: 'actions', header: t('actions'), isActions: true, render: (mail) => <ResendButton mail={mail} /> },
  ];
}

/** Why it failed, when it is tried again, or what the mail server said. */
function Outcome({ mail, t }: { mail: Mail; t: T }) {
  const { state, lastError, response, nextAttemptAt } = mail;
  const message = state === 'sent' ? response : lastError;
  return (
    <div className="operator-cell operator-wide">
      {message === null ? state === 'queued' ? null : '—' : <span>{message}</span>}
      {state === 'queued' ? (
        <Text span size="xs" c="dimmed">
          {t('nextAttempt')} <Instant value={nextAttemptAt} />
        </Text>
      ) : null}
    </div>
  );
}
