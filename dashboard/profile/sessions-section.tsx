/** Where the user is signed in, and how to end that. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Column, DataTable } from '../app/components/data-table.tsx';
import { ConfirmDialog } from '../app/components/dialogs/confirm-dialog.tsx';
import { notifyDone } from '../app/components/notify.ts';
import { Section } from '../app/components/section.tsx';
import { Status } from '../app/components/status.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { signOut } from '../app/shell/user-menu.tsx';
import { Instant } from '../app/time/instant.tsx';
import { clientName } from './client-name.ts';
import { profileTexts } from './profile-texts.ts';
import { endAllSessions, endOtherSessions, endSession, type SessionEntry, sessionsQuery } from './queries.ts';

type Target = 'everywhere' | 'others' | SessionEntry;

export function SessionsSection() {
  const t = useTexts(profileTexts);
  const sessions = useQuery(sessionsQuery);
  const [target, setTarget] = useState<Target>();
  const hasOthers = sessions.data?.some(({ current }) => !current) ?? false;
  return (
    <Section title={t('sessions')} description={t('sessionsText')}>
      <DataTable
        label={t('sessions')}
        columns={useColumns(setTarget)}
        rows={sessions.data}
        rowKey={({ id }) => id}
        query={sessions}
        empty={null}
        skeletonRows={2}
      />
      <Group gap="xs" mt="md">
        {hasOthers ? (
          <Button variant="default" onClick={() => setTarget('others')}>
            {t('signOutOthers')}
          </Button>
        ) : null}
        <Button variant="default" onClick={() => setTarget('everywhere')}>
          {t('signOutEverywhere')}
        </Button>
      </Group>
      <EndDialogs target={target} count={sessions.data?.length ?? 1} onClose={() => setTarget(undefined)} />
    </Section>
  );
}

function useColumns(onEnd: (entry: SessionEntry) => void): Column<SessionEntry>[] {
  const t = useTexts(profileTexts);
  const nameOf = ({ userAgent }: SessionEntry) => clientName(userAgent) ?? t('unknownClient');
  return [
    {
      id: 'client',
      header: t('client'),
      render: (entry) => (
        <Stack gap={0} miw={0}>
          <Text inherit fw={500} title={entry.userAgent ?? undefined}>
            {nameOf(entry)}
          </Text>
          {entry.current ? <Status tone="good">{t('thisSession')}</Status> : null}
        </Stack>
      ),
    },
    { id: 'address', header: t('address'), render: ({ address }) => address ?? t('unknownAddress') },
    { id: 'began', header: t('signedIn'), render: ({ createdAt }) => <Instant value={createdAt} as="day" /> },
    { id: 'used', header: t('lastUsed'), render: ({ lastUsedAt }) => <Instant value={lastUsedAt} as="relative" /> },
    {
      id: 'actions',
      header: t('actions'),
      isActions: true,
      render: (entry) => (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          onClick={() => (entry.current ? void signOut() : onEnd(entry))}
          aria-label={entry.current ? undefined : `${t('endSession')}: ${nameOf(entry)}`}
        >
          {t(entry.current ? 'signOut' : 'end')}
        </Button>
      ),
    },
  ];
}

function EndDialogs({ target, count, onClose }: { target: Target | undefined; count: number; onClose: () => void }) {
  const t = useTexts(profileTexts);
  const queries = useQueryClient();
  const refresh = async () => {
    await queries.invalidateQueries(sessionsQuery);
    notifyDone(t('sessionsEnded'));
  };
  const entry = typeof target === 'object' ? target : undefined;
  const client = clientName(entry?.userAgent ?? null) ?? t('unknownClient');
  return (
    <>
      <ConfirmDialog
        opened={entry !== undefined}
        onClose={onClose}
        title={t('endTitle', { client })}
        text={t('endText')}
        confirmLabel={t('endSession')}
        onConfirm={async () => {
          if (entry !== undefined) await endSession(entry.id);
          await refresh();
        }}
      />
      <ConfirmDialog
        opened={target === 'others'}
        onClose={onClose}
        title={t('othersTitle')}
        text={t('othersText', { count: count - 1 })}
        confirmLabel={t('signOutOthers')}
        onConfirm={async () => {
          await endOtherSessions();
          await refresh();
        }}
      />
      <ConfirmDialog
        opened={target === 'everywhere'}
        onClose={onClose}
        title={t('everywhereTitle')}
        text={t('everywhereText', { count })}
        confirmLabel={t('signOutEverywhere')}
        onConfirm={async () => {
          await endAllSessions();
          await signOut();
        }}
      />
    </>
  );
}
