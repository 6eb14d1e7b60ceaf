/** The frame of every page of a user: navigation at the left, or behind a burger where the screen is narrow. */
import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useMatches } from '@tanstack/react-router';
import { useEffect } from 'react';
import { DrawnLater } from '../components/section.tsx';
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { startLive } from '../live/live.ts';
import { useMay, useUnmetSignIn } from '../session/permissions.ts';
import { session, useUser } from '../session/session.ts';
import { HeldBackPage } from './held-back-page.tsx';
import { Navigation } from './navigation.tsx';
import { OrganizationMenu } from './organization-menu.tsx';
import { shellTexts } from './shell-texts.ts';
import { Logo } from './theme.tsx';
import { UserMenu } from './user-menu.tsx';

const mainId = 'main';
/** How often a session that is held back looks whether it still is. */
const heldBackCheckMs = 20_000;

export function Shell() {
  const t = useTexts(shellTexts);
  const user = useUser();
  const { pathname } = useLocation();
  const [isOpen, { toggle, close }] = useDisclosure();
  const queries = useQueryClient();
  const userId = user?.id;
  const isHeldBack = useUnmetSignIn() !== null;
  useEffect(() => {
    if (userId === undefined || isHeldBack) return;
    const end = new AbortController();
    startLive(queries, end.signal);
    return () => end.abort();
  }, [queries, userId, isHeldBack]);
  useCheckWhile(isHeldBack);
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
          <PageOrHeldBack />
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

/** There are no live events then, which would tell that the rule or the ways to sign in have changed. */
function useCheckWhile(isHeldBack: boolean): void {
  useEffect(() => {
    if (!isHeldBack) return;
    const check = () => void session.check();
    const timer = setInterval(check, heldBackCheckMs);
    window.addEventListener('focus', check);
    return () => {
      clearInterval(timer);
      window.removeEventListener('focus', check);
    };
  }, [isHeldBack]);
}

function PageOrHeldBack() {
  const unmet = useUnmetSignIn();
  const permission = useMatches({ select: (matches) => matches.at(-1)?.staticData.permission });
  const mayOpen = useMay(permission);
  return unmet === null || mayOpen ? <Outlet /> : <HeldBackPage unmet={unmet} />;
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
