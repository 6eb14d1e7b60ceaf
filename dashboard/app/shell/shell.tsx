/** The frame of every page of a user: navigation at the left, or behind a burger where the screen is narrow. */
import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { DrawnLater } from '../components/section.tsx';
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { startLive } from '../live/live.ts';
import { useUser } from '../session/session.ts';
import { Navigation } from './navigation.tsx';
import { OrganizationMenu } from './organization-menu.tsx';
import { shellTexts } from './shell-texts.ts';
import { Logo } from './theme.tsx';
import { UserMenu } from './user-menu.tsx';

const mainId = 'main';

export function Shell() {
  const t = useTexts(shellTexts);
  const user = useUser();
  const { pathname } = useLocation();
  const [isOpen, { toggle, close }] = useDisclosure();
  const queries = useQueryClient();
  const userId = user?.id;
  useEffect(() => {
    if (userId === undefined) return;
    const end = new AbortController();
    startLive(queries, end.signal);
    return () => end.abort();
  }, [queries, userId]);
  useEffect(() => {
    // Each page closes it.
    if (pathname !== '') close();
  }, [pathname, close]);
  if (user === undefined) return null;
  return (
    <AppShell
      header={{ height: 56, collapsed: false }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      layout="alt"
      padding={0}
      transitionDuration={120}
    >
      <a href={`#${mainId}`} className="skip-link">
        {t('skip')}
      </a>
      <AppShell.Header className="shell-header" hiddenFrom="sm">
        <Group h="100%" px="md" gap="sm">
          <Burger opened={isOpen} onClick={toggle} size="sm" aria-label={t('openMenu')} aria-expanded={isOpen} />
          <Brand />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className="shell-navbar" p="sm" data-open={isOpen}>
        <Group h={40} px="xs" justify="space-between" mb="xs">
          <Brand />
          <Burger opened={isOpen} onClick={toggle} size="sm" hiddenFrom="sm" aria-label={t('closeMenu')} />
        </Group>
        <DrawnLater>
          <OrganizationMenu />
          <Navigation role={user.role} />
          <UserMenu user={user} />
        </DrawnLater>
      </AppShell.Navbar>
      <AppShell.Main id={mainId} tabIndex={-1} className="shell-main">
        <div className="page">
          <Outlet />
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

function Brand() {
  const common = useTexts(commonTexts);
  return (
    <Link to="/" className="brand">
      <Logo />
      <Text span fw={600} size="md">
        {common('product')}
      </Text>
    </Link>
  );
}
