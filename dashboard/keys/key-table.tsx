/** The table of one kind of keys. */
import { Stack, Text } from '@mantine/core';
import { IconFolder, IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { windowedLimits } from '../../shared/limits/spend-limits.ts';
import { type Column, DataTable } from '../app/components/data-table.tsx';
import { EmptyState } from '../app/components/empty-state.tsx';
import { Status, type Tone } from '../app/components/status.tsx';
import { limitTexts } from '../app/i18n/limit-texts.ts';
import { type Translate, useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { useMay } from '../app/session/permissions.ts';
import { Instant } from '../app/time/instant.tsx';
import { useProjects } from '../organization/projects/use-projects.ts';
import { KeyActions } from './key-actions.tsx';
import { KeyLimits } from './key-limits.tsx';
import { KeySpend } from './key-spend.tsx';
import { keysTexts } from './keys-texts.ts';
import { type Key, type KeyKind, keyPermissions, keysQuery } from './queries.ts';

const pollingMs = 30_000;

type T = Translate<NonNullable<(typeof keysTexts)['key']>>;

export function KeyTable({ kind }: { kind: KeyKind }) {
  const t = useTexts(keysTexts);
  const limit = useTexts(limitTexts);
  const query = useQuery({ ...keysQuery(kind), refetchInterval: usePolling(pollingMs) });
  const mayManage = useMay(keyPermissions[kind].manage);
  const emptyText = mayManage ? (kind === 'proxy' ? 'emptyProxy' : 'emptyBilling') : 'emptyOthers';
  const empty = <EmptyState icon={IconKey} title={t('emptyTitle')} text={t(emptyText)} />;
  const projects = useProjects();
  const columns = columnsOf(kind, { t, limit, projects: new Map(projects.map(({ id, name }) => [id, name])) });
  return (
    <DataTable
      label={t(kind === 'proxy' ? 'proxyKeys' : 'billingKeys')}
      columns={mayManage ? [...columns, actionsOf(kind, t)] : columns}
      rows={query.data}
      rowKey={({ id }) => id}
      query={query}
      empty={empty}
      skeletonRows={4}
    />
  );
}

interface ColumnsOptions {
  readonly t: T;
  readonly limit: Translate<NonNullable<(typeof limitTexts)['key']>>;
  /** Their names, by id. */
  readonly projects: ReadonlyMap<number, string>;
}

function columnsOf(kind: KeyKind, { t, limit, projects }: ColumnsOptions): Column<Key>[] {
  const common: Column<Key>[] = [
    {
      id: 'name',
      header: t('key'),
      render: ({ name, prefix, projectId, allowedIps, dataPolicy, cacheSeconds, limits }) => (
        <Stack gap={0} className="key-name">
          <Text inherit fw={500}>
            {name}
          </Text>
          <Text span className="mono" c="dimmed">
            {prefix}…
          </Text>
          <KeyProject name={projects.get(projectId ?? 0)} label={t('project')} />
          <KeyLimits limits={limits} allowedIps={allowedIps} dataPolicy={dataPolicy} cacheSeconds={cacheSeconds} />
        </Stack>
      ),
    },
    {
      id: 'state',
      header: t('state'),
      render: (key) => (
        <div className="key-state">
          <KeyState value={key} t={t} />
        </div>
      ),
    },
    { id: 'created', header: t('created'), render: ({ createdAt }) => <Instant value={createdAt} as="day" /> },
    {
      id: 'expires',
      header: t('expires'),
      render: ({ expiresAt }) => (expiresAt === null ? t('neverExpires') : <Instant value={expiresAt} as="day" />),
    },
  ];
  const proxy: Column<Key>[] = [
    {
      id: 'used',
      header: t('lastUsed'),
      render: ({ lastUsedAt }) => (lastUsedAt ? <Instant value={lastUsedAt} as="relative" /> : t('neverUsed')),
    },
    ...windowedLimits.map(
      ({ name, spent }): Column<Key> => ({
        id: name,
        header: limit(`${name}Spent`),
        align: 'right',
        render: (key) => <KeySpend amount={key[`${spent.name}Usd`]} limit={key.limits?.spendLimits[`${name}Usd`]} />,
      }),
    ),
  ];
  return [...common, ...(kind === 'proxy' ? proxy : [])];
}

/** Its icon says it; a column would be empty for most. */
function KeyProject({ name, label }: { name: string | undefined; label: string }) {
  if (name === undefined) return null;
  return (
    <Text inherit c="dimmed" className="key-detail">
      <IconFolder size={14} stroke={1.6} aria-label={label} role="img" />
      <span>{name}</span>
    </Text>
  );
}

function actionsOf(kind: KeyKind, t: T): Column<Key> {
  return {
    id: 'actions',
    header: t('actions'),
    isActions: true,
    render: (key) => <KeyActions kind={kind} value={key} />,
  };
}

const tones: Readonly<Record<Key['state'], Tone>> = {
  active: 'good',
  inactive: 'neutral',
  expired: 'warning',
  project_archived: 'warning',
};

function KeyState({ value, t }: { value: Key; t: T }) {
  if (value.state === 'active' && value.awaitsVerification) return <Status tone="warning">{t('awaits')}</Status>;
  return <Status tone={tones[value.state]}>{t(value.state)}</Status>;
}
