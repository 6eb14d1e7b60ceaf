/** Asks how and how much to pay, and for the details of an invoice where they are missing. */
import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { Loaded } from '../../app/components/loaded.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { missingDetails } from '../../company/detail-problems.ts';
import { type Methods, methodsQuery, type Payment } from '../queries.ts';
import { DetailsStep } from './details-step.tsx';
import { TopUpForm } from './top-up-form.tsx';
import { topUpTexts } from './top-up-texts.ts';
import { useCreatePayment } from './use-create-payment.ts';
import { useTopUpForm } from './use-top-up-form.ts';

interface TopUpDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** For a payment that is not paid on another page: an invoice. */
  readonly onCreated: (payment: Payment) => void;
}

export function TopUpDialog({ opened, onClose, onCreated }: TopUpDialogProps) {
  const t = useTexts(topUpTexts);
  const methods = useQuery(methodsQuery);
  const [showsDetails, setShowsDetails] = useState(false);
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={t(showsDetails ? 'detailsTitle' : 'title')}
      size={showsDetails ? 'xl' : 'md'}
      closeOnClickOutside={false}
    >
      <Loaded query={methods} skeleton={<Skeleton height={320} />}>
        {(loaded) =>
          loaded.methods.length === 0 ? (
            <Text size="sm">{t('none')}</Text>
          ) : (
            <TopUp methods={loaded} onClose={onClose} onCreated={onCreated} onDetails={setShowsDetails} />
          )
        }
      </Loaded>
    </Dialog>
  );
}

interface TopUpProps extends Omit<TopUpDialogProps, 'opened'> {
  readonly methods: Methods;
  /** Whether details are asked for now. */
  readonly onDetails: (needsDetails: boolean) => void;
}

function TopUp({ methods, onClose, onCreated, onDetails }: TopUpProps) {
  // A dialog that is opened again starts with the method and the amount.
  useEffect(() => () => onDetails(false), [onDetails]);
  const form = useTopUpForm(methods);
  const creation = useCreatePayment(onCreated);
  const [needsDetails, setNeedsDetails] = useState(false);
  const showDetails = (needed: boolean) => {
    setNeedsDetails(needed);
    onDetails(needed);
  };
  const send = () => {
    const { method, currency } = form.values;
    const { amount } = form;
    if (amount === undefined) return;
    creation.mutate(
      { method, amount, currency },
      { onError: (error) => showDetails(missingDetails(error) !== undefined) },
    );
  };
  const missing = missingDetails(creation.error);
  if (needsDetails)
    return <DetailsStep missing={missing ?? []} creation={creation} onSaved={send} onBack={() => showDetails(false)} />;
  return (
    <Stack>
      <TopUpForm methods={methods} form={form} creation={creation} onSubmit={send} onCancel={onClose} />
    </Stack>
  );
}
