/** Who else gets the alerts. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../app/components/data-table.tsx';
import { Section } from '../app/components/section.tsx';
import { Status, type Tone } from '../app/components/status.tsx';
import { type Translate, useTexts } from '../app/i18n/use-texts.ts';
import { useMay } from '../app/session/permissions.ts';
import { Instant } from '../app/time/instant.tsx';
import { AddAddressForm } from './add-address-form.tsx';
import { AddressActions } from './address-actions.tsx';
import { alertsTexts } from './alerts-texts.ts';
import { type AlertAddress, addressesQuery } from './queries.ts';

type T = Translate<NonNullable<(typeof alertsTexts)['key']>>;

const tones: Record<AlertAddress['status'], Tone> = { active: 'good', pending: 'warning', stopped: 'neutral' };

export function AddressesSection() {
  const t = useTexts(alertsTexts);
  const addresses = useQuery(addressesQuery);
  const mayManage = useMay('payments:manage');
  const columns = columnsOf(t);
  const empty = (
    <Text size="sm" c="dimmed">
      {t('noAddresses')}
    </Text>
  );
  return (
    <Section title={t('addresses')} description={t('addressesText')}>
      <DataTable
        label={t('addresses')}
        columns={mayManage ? [...columns, actionsOf(t)] : columns}
        rows={addresses.data}
        rowKey={({ id }) => id}
        query={addresses}
        empty={empty}
        skeletonRows={1}
      />
      {mayManage ? <AddAddressForm /> : null}
    </Section>
  );
}

function columnsOf(t: T): Column<AlertAddress>[] {
  return [
    { id: 'email', header: t('address'), render: ({ email }) => <span className="alert-address">{email}</span> },
    { id: 'status', header: t('status'), render: ({ status }) => <Status tone={tones[status]}>{t(status)}</Status> },
    { id: 'added', header: t('added'), render: ({ createdAt }) => <Instant value={createdAt} as="day" /> },
  ];
}

function actionsOf(t: T): Column<AlertAddress> {
  return {
    id: 'actions',
    header: t('actions'),
    isActions: true,
    render: (address) => <AddressActions value={address} />,
  };
}
