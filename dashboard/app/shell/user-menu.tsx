/** Who is signed in, and what they can change about the dashboard: theme, language, sign out. */
import { Menu, SegmentedControl, Stack, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconLogout, IconSelector } from '@tabler/icons-react';
import { languages } from '../../../shared/languages.ts';
import { isLanguage, languageNames } from '../i18n/language.ts';
import { chooseLanguage } from '../i18n/start-i18n.ts';
import { useLanguage, useTexts } from '../i18n/use-texts.ts';
import type { SessionUser } from '../session/session.ts';
import { signOut } from '../session/sign-out.ts';
import { shellTexts } from './shell-texts.ts';

export function UserMenu({ user }: { user: SessionUser }) {
  const t = useTexts(shellTexts);
  return (
    <Menu position="top-start" width={240} shadow="md">
      <Menu.Target>
        <UnstyledButton className="user-button" aria-label={`${t('account')}: ${user.displayName ?? user.email}`}>
          <Text size="sm" fw={500} truncate title={user.email}>
            {user.displayName ?? user.email}
          </Text>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="user-email">{user.email}</Menu.Label>
        <Stack gap="xs" px="xs" py={4}>
          <ThemeChoice />
          <LanguageChoice />
        </Stack>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
          {t('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
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
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label={t('language')}
      value={useLanguage()}
      onChange={(value) => {
        if (isLanguage(value)) void chooseLanguage(value);
      }}
      data={languages.map((value) => ({ value, label: languageNames[value] }))}
    />
  );
}
