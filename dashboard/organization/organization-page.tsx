/** The organization: its people, its projects, its budgets, how they sign in, its settings and its audit log, as far as the role shows them. */
import { Tabs } from '@mantine/core';
import { createLazyRoute } from '@tanstack/react-router';
import { PageHeader } from '../app/components/page-header.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { choiceOf, present } from '../app/router/search.ts';
import { useMay } from '../app/session/permissions.ts';
import { AuditLogTab } from './audit-log/audit-log-tab.tsx';
import { BudgetsTab } from './budgets/budgets-tab.tsx';
import { MembersTab } from './members/members-tab.tsx';
import { organizationTexts } from './organization-texts.ts';
import { ProjectsTab } from './projects/projects-tab.tsx';
import { type OrganizationTab, organizationTabs } from './queries.ts';
import { SettingsTab } from './settings/settings-tab.tsx';
import { SignInTab } from './sign-in/sign-in-tab.tsx';

export const organizationRoute = createLazyRoute('/user/organization')({ component: OrganizationPage });

const panels = {
  members: MembersTab,
  projects: ProjectsTab,
  budgets: BudgetsTab,
  'sign-in': SignInTab,
  settings: SettingsTab,
  audit: AuditLogTab,
} as const;

function OrganizationPage() {
  const t = useTexts(organizationTexts);
  const navigate = organizationRoute.useNavigate();
  const search = organizationRoute.useSearch();
  const isShown: Readonly<Record<OrganizationTab, boolean>> = {
    members: useMay('members:read'),
    projects: useMay('projects:read'),
    budgets: useMay('budgets:read'),
    'sign-in': useMay('organization:manage'),
    settings: true,
    audit: useMay('audit:read'),
  };
  const tabs = organizationTabs.filter((tab) => isShown[tab]);
  const tab = choiceOf(search, 'tab', tabs) ?? tabs[0] ?? 'settings';
  const Panel = panels[tab];
  const open = (value: string | null) => {
    const chosen = choiceOf({ value }, 'value', tabs);
    void navigate({ search: present({ tab: chosen === tabs[0] ? undefined : chosen }), resetScroll: false });
  };
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List mb="md" className="organization-tabs">
          {tabs.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {t(each)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Panel />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
