/** Who is signed in, and what they can change about the dashboard: theme, language, sign out. */
import { Button, Popover, SegmentedControl, Stack, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconLogout, IconSelector } from '@tabler/icons-react';
import i18next from 'i18next';
import { customsOf, languages } from '../../../shared/languages.ts';
import { notifyFailed } from '../components/notify.ts';
import { useDescribeError } from '../errors/error-state.tsx';
import { isLanguage } from '../i18n/language.ts';
import { chooseLanguage } from '../i18n/start-i18n.ts';
import { useLanguage, useTexts } from '../i18n/use-texts.ts';
import type { SessionUser } from '../session/place.ts';
import { session } from '../session/session.ts';
import { shellTexts } from './shell-texts.ts';

/** A dialog rather than a menu, which may have nothing but items to choose from. */
export function UserMenu({ user }: { user: SessionUser }) {
  const t = useTexts(shellTexts);
  return (
    <Popover position="top-start" width={240} shadow="md" trapFocus>
      <Popover.Target>
        <UnstyledButton className="user-button" aria-label={`${t('account')}: ${user.displayName ?? user.email}`}>
          <Text size="sm" fw={500} truncate title={user.email}>
            {user.displayName ?? user.email}
          </Text>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <Stack gap="xs">
          <Text size="xs" c="dimmed" truncate title={user.email}>
            {user.email}
          </Text>
          <ThemeChoice />
          <LanguageChoice />
          <Button
            variant="default"
            size="xs"
            leftSection={<IconLogout size={16} aria-hidden />}
            onClick={() => void signOut()}
          >
            {t('signOut')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

export function ThemeChoice() {
  const t = useTexts(shellTexts);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label={t('theme')}
      value={colorScheme}
      onChange={(value) => setColorScheme(value === 'light' || value === 'dark' ? value : 'auto')}
      data={[
        { value: 'light', label: t('light') },
        { value: 'dark', label: t('dark') },
        { value: 'auto', label: t('system') },
      ]}
    />
  );
}

export function LanguageChoice() {
  const t = useTexts(shellTexts);
  const describeError = useDescribeError();
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label={t('language')}
      value={useLanguage()}
      onChange={(value) => {
        if (isLanguage(value)) chooseLanguage(value).catch((error) => notifyFailed(describeError(error)));
      }}
      data={languages.map((value) => ({ value, label: customsOf[value].name }))}
    />
  );
}

/** Signs out, and says so if the server could not be reached. */
export async function signOut(): Promise<void> {
  if (await session.signOut()) return;
  const text = (key: NonNullable<(typeof shellTexts)['key']>) => i18next.t(key, { ns: shellTexts.namespace });
  notifyFailed({ title: text('signedOutHereTitle'), text: text('signedOutHereText') });
}
