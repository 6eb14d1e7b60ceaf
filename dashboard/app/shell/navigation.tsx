/** The links to all pages that the user's role may open. */
import { Text } from '@mantine/core';
import { IconApi } from '@tabler/icons-react';
import { type AnyRoute, Link, useRouter } from '@tanstack/react-router';
import { useTexts } from '../i18n/use-texts.ts';
import { useMay } from '../session/permissions.ts';
import { customerEntries, type NavigationEntry, operatorEntries } from './navigation-entries.ts';
import { shellTexts } from './shell-texts.ts';

export function Navigation({ role }: { role: 'customer' | 'operator' }) {
  const t = useTexts(shellTexts);
  const isOperator = useMay(undefined) && role === 'operator';
  return (
    <nav className="navigation" aria-label={t('navigation')}>
      <Entries entries={customerEntries} />
      <a href="/api/docs" className="navigation-link">
        <IconApi size={18} stroke={1.6} aria-hidden />
        {t('apiReference')}
      </a>
      {isOperator ? (
        <>
          <Text size="xs" fw={600} c="dimmed" className="navigation-group">
            {t('operator')}
          </Text>
          <Entries entries={operatorEntries} />
        </>
      ) : null}
    </nav>
  );
}

function Entries({ entries }: { entries: readonly NavigationEntry[] }) {
  return entries.map((entry) => <Entry key={entry.path} {...entry} />);
}

function Entry({ path, text, icon: Mark }: NavigationEntry) {
  const t = useTexts(shellTexts);
  if (!useMayOpen(path)) return null;
  return (
    <Link
      to={path}
      className="navigation-link"
      activeOptions={{ exact: path === '/', includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
    >
      <Mark size={18} stroke={1.6} aria-hidden />
      {t(text)}
    </Link>
  );
}

/** Whether the role has the permission that the page names. */
function useMayOpen(path: NavigationEntry['path']): boolean {
  const routes: Partial<Record<string, AnyRoute>> = useRouter().routesByPath;
  return useMay(routes[path]?.options.staticData?.permission);
}
