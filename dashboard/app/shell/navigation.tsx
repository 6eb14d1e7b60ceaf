/** The links to all pages that the user's role may open. */
import { Text } from '@mantine/core';
import { IconApi } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../i18n/use-texts.ts';
import { customerEntries, type NavigationEntry, operatorEntries } from './navigation-entries.ts';
import { shellTexts } from './shell-texts.ts';

export function Navigation({ role }: { role: 'customer' | 'operator' }) {
  const t = useTexts(shellTexts);
  return (
    <nav className="navigation" aria-label={t('navigation')}>
      <Entries entries={customerEntries} />
      <a href="/api/docs" className="navigation-link">
        <IconApi size={18} stroke={1.6} aria-hidden />
        {t('apiReference')}
      </a>
      {role === 'operator' ? (
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
  const t = useTexts(shellTexts);
  return entries.map(({ path, text, icon: Mark }) => (
    <Link
      key={path}
      to={path}
      className="navigation-link"
      activeOptions={{ exact: path === '/', includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
    >
      <Mark size={18} stroke={1.6} aria-hidden />
      {t(text)}
    </Link>
  ));
}
