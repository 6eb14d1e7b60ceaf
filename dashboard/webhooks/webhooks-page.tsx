/** The webhook endpoints of the organization, and what was sent to the one that is open. */
import { Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { createLazyRoute } from '@tanstack/react-router';
import { useState } from 'react';
import { PageHeader } from '../app/components/page-header.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { useMay } from '../app/session/permissions.ts';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { EndpointTable } from './endpoint-table.tsx';
import { webhooksTexts } from './webhooks-texts.ts';

export const webhooksRoute = createLazyRoute('/user/webhooks')({ component: WebhooksPage });

function WebhooksPage() {
  const t = useTexts(webhooksTexts);
  const { endpoint, cursor } = webhooksRoute.useSearch();
  const navigate = webhooksRoute.useNavigate();
  const mayManage = useMay('webhooks:manage');
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t('addEndpoint')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')} actions={mayManage ? add : undefined} />
      <Text size="sm" c="dimmed" mb="md" maw={640}>
        {t('description')}
      </Text>
      <EndpointTable onOpen={(id) => void navigate({ search: { endpoint: id } })} />
      <EndpointDialog opened={isAdding} onClose={() => setAdding(false)} />
      <DeliveriesPanel endpointId={endpoint} cursor={cursor} onClose={() => void navigate({ search: {} })} />
    </>
  );
}
