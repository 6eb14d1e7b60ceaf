/** The frame of pages that need no log-in: a card in the middle, and the choice of the language. */
import { Group, Text } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { Logo } from './theme.tsx';
import { LanguageChoice } from './user-menu.tsx';

export function PublicLayout() {
  const common = useTexts(commonTexts);
  return (
    <div className="public">
      <header className="public-header">
        <Group gap="xs" wrap="nowrap">
          <Logo size={26} />
          <Text span fw={600} size="lg">
            {common('product')}
          </Text>
        </Group>
      </header>
      <main className="public-card">
        <Outlet />
      </main>
      <footer className="public-footer">
        <LanguageChoice />
      </footer>
    </div>
  );
}
