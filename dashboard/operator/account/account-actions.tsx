/** What an operator can do about an account. Each action asks in a dialog of its own. */
import { Button, Menu } from '@mantine/core';
import { IconBan, IconChevronDown, IconGauge, IconLockOpen, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { accountTexts } from './account-texts.ts';
import { BlockDialog } from './dialogs/block-dialog.tsx';
import { CreditDialog } from './dialogs/credit-dialog.tsx';
import { DeleteDialog } from './dialogs/delete-dialog.tsx';
import { LimitsDialog } from './dialogs/limits-dialog.tsx';
import type { Account } from './queries.ts';

type Action = 'credit' | 'refund' | 'limits' | 'block' | 'unblock' | 'delete';

export function AccountActions({ account }: { account: Account }) {
  const t = useTexts(accountTexts);
  const [open, setOpen] = useState<Action>();
  if (account.deletedAt !== null) return null;
  const blocking = account.blockedAt === null ? 'block' : 'unblock';
  const dialog = (action: Action) => ({ account, opened: open === action, onClose: () => setOpen(undefined) });
  const BlockIcon = blocking === 'block' ? IconBan : IconLockOpen;
  return (
    <>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
            {t('more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconGauge size={16} aria-hidden />} onClick={() => setOpen('limits')}>
            {t('changeLimits')}
          </Menu.Item>
          <Menu.Item leftSection={<BlockIcon size={16} aria-hidden />} onClick={() => setOpen(blocking)}>
            {t(blocking)}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            color="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setOpen('delete')}
          >
            {t('delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button variant="default" onClick={() => setOpen('refund')}>
        {t('refund')}
      </Button>
      <Button onClick={() => setOpen('credit')}>{t('credit')}</Button>
      <CreditDialog kind="credit" {...dialog('credit')} />
      <CreditDialog kind="refund" {...dialog('refund')} />
      <LimitsDialog {...dialog('limits')} />
      <BlockDialog kind="block" {...dialog('block')} />
      <BlockDialog kind="unblock" {...dialog('unblock')} />
      <DeleteDialog {...dialog('delete')} />
    </>
  );
}
