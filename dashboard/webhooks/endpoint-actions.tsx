/** What can be done with an endpoint in its row. */
import { Group } from '@mantine/core';
import {
  IconKey,
  IconListDetails,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../app/components/dialogs/confirm-dialog.tsx';
import { notifyDone, notifyFailed } from '../app/components/notify.ts';
import { RowAction } from '../app/components/row-action.tsx';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { useMay } from '../app/session/permissions.ts';
import { EndpointDialog } from './endpoint-dialog.tsx';
import {
  changeEndpoint,
  deleteEndpoint,
  type Endpoint,
  endpointsQuery,
  rotateSecret,
  testEndpoint,
} from './queries.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { webhooksTexts } from './webhooks-texts.ts';

interface EndpointActionsProps {
  readonly endpoint: Endpoint;
  readonly onOpen: () => void;
}

export function EndpointActions({ endpoint, onOpen }: EndpointActionsProps) {
  const t = useTexts(webhooksTexts);
  const mayManage = useMay('webhooks:manage');
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <RowAction label={t('deliveries')} icon={IconListDetails} onClick={onOpen} />
      {mayManage ? <Management endpoint={endpoint} /> : null}
    </Group>
  );
}

function Management({ endpoint }: Pick<EndpointActionsProps, 'endpoint'>) {
  const t = useTexts(webhooksTexts);
  const { active } = endpoint;
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete'>();
  const { test, toggle } = useImmediateActions(endpoint);
  return (
    <>
      <RowAction label={t('test')} icon={IconSend} isBusy={test.isPending} onClick={() => test.mutate()} />
      <RowAction label={t('edit')} icon={IconPencil} onClick={() => setOpen('edit')} />
      <RowAction
        label={t(active ? 'deactivate' : 'activate')}
        icon={active ? IconPlayerPause : IconPlayerPlay}
        isBusy={toggle.isPending}
        onClick={() => toggle.mutate()}
      />
      <RowAction label={t('rotate')} icon={IconKey} onClick={() => setOpen('rotate')} />
      <RowAction label={t('delete')} icon={IconTrash} onClick={() => setOpen('delete')} />
      <EndpointDialog endpoint={endpoint} opened={open === 'edit'} onClose={() => setOpen(undefined)} />
      <Confirmations endpoint={endpoint} open={open} onClose={() => setOpen(undefined)} />
    </>
  );
}

function useImmediateActions({ id, active }: Endpoint) {
  const t = useTexts(webhooksTexts);
  const describeError = useDescribeError();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries(endpointsQuery);
  const onError = (error: unknown) => notifyFailed(describeError(error));
  const test = useMutation({
    mutationFn: () => testEndpoint(id),
    onSuccess: async ({ status, responseStatus, error }) => {
      await refresh();
      if (status === 'delivered') notifyDone(t('testDelivered', { status: String(responseStatus) }));
      else notifyFailed({ title: t('testFailed'), text: error ?? '' });
    },
    onError,
  });
  const toggle = useMutation({
    mutationFn: () => changeEndpoint(id, { active: !active }),
    onSuccess: async () => {
      await refresh();
      notifyDone(t(active ? 'deactivated' : 'activated'));
    },
    onError,
  });
  return { test, toggle };
}

interface ConfirmationsProps extends Pick<EndpointActionsProps, 'endpoint'> {
  readonly open: 'edit' | 'rotate' | 'delete' | undefined;
  readonly onClose: () => void;
}

function Confirmations({ endpoint: { id, url }, open, onClose }: ConfirmationsProps) {
  const t = useTexts(webhooksTexts);
  const queries = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const rotate = async () => {
    setSecret((await rotateSecret(id)).secret);
    await queries.invalidateQueries(endpointsQuery);
  };
  const remove = async () => {
    await deleteEndpoint(id);
    notifyDone(t('deleted'));
    await queries.invalidateQueries(endpointsQuery);
  };
  return (
    <>
      <ConfirmDialog
        opened={open === 'rotate'}
        onClose={onClose}
        title={t('rotateTitle')}
        text={t('rotateText', { url })}
        confirmLabel={t('rotate')}
        onConfirm={rotate}
      />
      <ConfirmDialog
        opened={open === 'delete'}
        onClose={onClose}
        title={t('deleteTitle')}
        text={t('deleteText', { url })}
        confirmLabel={t('deleteEndpoint')}
        onConfirm={remove}
      />
      <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}
