/** The projects, each with its cost center, its keys and what they spend. */
import { Stack, Text } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Status } from '../../app/components/status.tsx';
import { type Translate, useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { AlignedUsd } from '../../app/money/aligned-usd.tsx';
import { useMay, useOrganization } from '../../app/session/permissions.ts';
import { formatCount } from '../../app/time/format-time.ts';
import { organizationTexts } from '../organization-texts.ts';
import { ProjectActions } from './project-actions.tsx';
import { projectsTexts } from './projects-texts.ts';
import { type Project, projectsQuery } from './queries.ts';

/** Also with live events: what is spent in 30 days does not have to follow every request. */
const pollingMs = 30_000;

export function ProjectTable() {
  const t = useTexts(projectsTexts);
  const organization = useTexts(organizationTexts);
  const query = useQuery({ ...projectsQuery, refetchInterval: pollingMs });
  const seesOwn = useOrganization()?.role === 'member';
  return (
    <DataTable
      label={organization('projects')}
      columns={useColumns(query.data ?? [])}
      rows={query.data}
      rowKey={({ id }) => id}
      query={query}
      empty={<EmptyState icon={IconFolder} title={t('emptyTitle')} text={t(seesOwn ? 'emptyOwn' : 'emptyText')} />}
      skeletonRows={3}
    />
  );
}

function useColumns(projects: readonly Project[]): Column<Project>[] {
  const t = useTexts(projectsTexts);
  const language = useLanguage();
  const mayManage = useMay('projects:manage');
  const amounts = projects.map(({ spend30dUsd }) => spend30dUsd);
  const columns: Column<Project>[] = [
    { id: 'project', header: t('project'), render: (project) => <ProjectName project={project} /> },
    { id: 'costCenter', header: t('costCenter'), render: ({ costCenter }) => costCenter ?? '—' },
    { id: 'keys', header: t('keys'), align: 'right', render: ({ keys }) => formatCount(keys, language) },
    {
      id: 'spent',
      header: t('spent'),
      align: 'right',
      render: ({ spend30dUsd }) => <AlignedUsd amount={spend30dUsd} among={amounts} />,
    },
    { id: 'state', header: t('state'), render: (project) => stateOf(project, t) },
  ];
  const actions: Column<Project> = {
    id: 'actions',
    header: t('actions'),
    isActions: true,
    render: (project) => <ProjectActions project={project} />,
  };
  return mayManage ? [...columns, actions] : columns;
}

function ProjectName({ project: { name, description, archived } }: { project: Project }) {
  return (
    <Stack gap={0} className="project-name">
      <Text inherit fw={500} {...(archived && { c: 'dimmed' })}>
        {name}
      </Text>
      {description === null ? null : (
        <Text inherit c="dimmed" lineClamp={3} title={description}>
          {description}
        </Text>
      )}
    </Stack>
  );
}

function stateOf({ archived }: Project, t: Translate<NonNullable<(typeof projectsTexts)['key']>>) {
  return <Status tone={archived ? 'neutral' : 'good'}>{t(archived ? 'archived' : 'active')}</Status>;
}
