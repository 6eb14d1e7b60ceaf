/** The navigation, in its order. */
import {
  type Icon,
  IconActivity,
  IconAddressBook,
  IconBell,
  IconBook2,
  IconBuilding,
  IconCash,
  IconChartBar,
  IconCreditCard,
  IconHeartbeat,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconList,
  IconMail,
  IconMessages,
  IconReceipt,
  IconScale,
  IconUser,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import type { Texts } from '../i18n/define-texts.ts';
import type { PagePath } from '../router/page-change.ts';
import type { shellTexts } from './shell-texts.ts';

type TextKey = typeof shellTexts extends Texts<infer Key> ? Key : never;

export interface NavigationEntry {
  readonly path: PagePath;
  readonly text: TextKey;
  readonly icon: Icon;
}

export const customerEntries: readonly NavigationEntry[] = [
  { path: '/', text: 'overview', icon: IconLayoutDashboard },
  { path: '/keys', text: 'keys', icon: IconKey },
  { path: '/models', text: 'models', icon: IconList },
  { path: '/playground', text: 'playground', icon: IconMessages },
  { path: '/activity', text: 'activity', icon: IconActivity },
  { path: '/usage', text: 'usage', icon: IconChartBar },
  { path: '/transactions', text: 'transactions', icon: IconReceipt },
  { path: '/billing', text: 'billing', icon: IconCreditCard },
  { path: '/alerts', text: 'alerts', icon: IconBell },
  { path: '/company', text: 'company', icon: IconBuilding },
  { path: '/organization', text: 'organization', icon: IconUsers },
  { path: '/webhooks', text: 'webhooks', icon: IconWebhook },
  { path: '/profile', text: 'profile', icon: IconUser },
];

export const operatorEntries: readonly NavigationEntry[] = [
  { path: '/operator/accounts', text: 'accounts', icon: IconAddressBook },
  { path: '/operator/payments', text: 'payments', icon: IconCash },
  { path: '/operator/catalogue', text: 'catalogue', icon: IconBook2 },
  { path: '/operator/health', text: 'health', icon: IconHeartbeat },
  { path: '/operator/reconciliation', text: 'reconciliation', icon: IconScale },
  { path: '/operator/mails', text: 'mails', icon: IconMail },
  { path: '/operator/audit', text: 'audit', icon: IconHistory },
];
