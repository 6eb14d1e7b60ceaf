/** The keys that the user may see, in two tabs: proxy keys and billing keys. */
import { Button, Tabs, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { createLazyRoute } from '@tanstack/react-router';
import { useState } from 'react';
import { PageHeader } from '../app/components/page-header.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { useMay } from '../app/session/permissions.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyTable } from './key-table.tsx';
import { keysTexts } from './keys-texts.ts';
import { keyPermissions } from './queries.ts';

export const keysRoute = createLazyRoute('/user/keys')({ component: KeysPage });

function KeysPage() {
  const t = useTexts(keysTexts);
  const search = keysRoute.useSearch();
  const seesBilling = useMay(keyPermissions.billing.read);
  const kind = seesBilling && search.kind === 'billing' ? 'billing' : 'proxy';
  const mayCreate = useMay(keyPermissions[kind].manage);
  const navigate = keysRoute.useNavigate();
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {t('createKey')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')} actions={mayCreate ? create : undefined} />
      <Tabs
        value={kind}
        onChange={(value) => void navigate({ search: value === 'billing' ? { kind: value } : {} })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="proxy">{t('proxyKeys')}</Tabs.Tab>
          {seesBilling ? <Tabs.Tab value="billing">{t('billingKeys')}</Tabs.Tab> : null}
        </Tabs.List>
        <Tabs.Panel value={kind}>
          <Text size="sm" c="dimmed" mb="md" maw={640}>
            {t(kind === 'proxy' ? 'proxyText' : 'billingText')}
          </Text>
          <KeyTable kind={kind} />
        </Tabs.Panel>
      </Tabs>
      <CreateKeyDialog kind={kind} opened={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}
