/** The look of everything: one accent colour, a calm scale of greys, contrasts that everyone can read, and the mark. */
import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorSchemeManager,
  type MantineColorsTuple,
  MantineProvider,
} from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { DrawnLater } from '../components/section.tsx';
import { colourSchemeKey, readSetting, writeSetting } from '../settings.ts';

/** Mantine's own, with darker shades where it is the colour of a button or of a text. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#fa5252',
  '#c92a2a',
  '#c92a2a',
  '#a61e1e',
];

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  colors: { red },
  defaultRadius: 'md',
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.375rem', lineHeight: '1.3' }, h2: { fontSize: '1.0625rem', lineHeight: '1.4' } },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Options are in the page only while their list is open.
    Combobox: { defaultProps: { keepMounted: false } },
    Modal: { defaultProps: { radius: 'lg', padding: 'lg', transitionProps: { duration: 120, transition: 'fade' } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 150 } },
    TextInput: { defaultProps: { spellCheck: false } },
  },
});

/** Mantine's own dimmed and error colours are too faint to read for some. */
const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#1b1d22',
    '--mantine-color-dimmed': '#5b6169',
    '--mantine-color-placeholder': '#6b7178',
    '--mantine-color-error': '#c92a2a',
    '--surface': '#f8f9fb',
    '--line': '#e4e7ec',
  },
  dark: {
    '--mantine-color-body': '#16171a',
    '--mantine-color-text': '#d8dade',
    '--mantine-color-dimmed': '#a3a7ae',
    '--mantine-color-placeholder': '#92969e',
    '--mantine-color-error': '#ff8787',
    '--surface': '#1c1d21',
    '--line': '#2e3036',
  },
});

/** Without a choice the system decides. */
const schemes: MantineColorSchemeManager = {
  get: (fallback) => {
    const chosen = readSetting(colourSchemeKey);
    return chosen === 'light' || chosen === 'dark' ? chosen : fallback;
  },
  set: (scheme) => writeSetting(colourSchemeKey, scheme === 'auto' ? undefined : scheme),
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => writeSetting(colourSchemeKey, undefined),
};

export function Theme({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      colorSchemeManager={schemes}
      defaultColorScheme="auto"
    >
      <DrawnLater>
        <Notifications position="bottom-right" limit={3} />
      </DrawnLater>
      {children}
    </MantineProvider>
  );
}

/** The product's mark. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--mantine-primary-color-filled)" />
      <path
        d="M8 22V10l8 7 8-7v12"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
