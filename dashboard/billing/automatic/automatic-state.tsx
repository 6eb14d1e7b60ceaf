/** Whether automatic top-ups are made, with which card, and why not; and what can be done about it. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../app/components/dialogs/confirm-dialog.tsx';
import { Fact, FactList } from '../../app/components/fact-list.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { Status, type Tone } from '../../app/components/status.tsx';
import { FormError } from '../../app/errors/form-error.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { Instant } from '../../app/time/instant.tsx';
import { usePaid } from '../payments/payment-words.tsx';
import { type AutoTopUp, autoTopUpQuery, switchOffAutoTopUp } from '../queries.ts';
import { useCreatePayment } from '../top-up/use-create-payment.ts';
import { automaticTexts } from './automatic-texts.ts';

const tones: Readonly<Record<AutoTopUp['state'], Tone>> = {
  on: 'good',
  off: 'neutral',
  waiting_for_card: 'warning',
  stopped: 'bad',
};

export function AutomaticState({ automatic }: { automatic: AutoTopUp }) {
  const t = useTexts(automaticTexts);
  const { state, card, failures, nextAttemptAt } = automatic;
  const isOff = state === 'off';
  const mayManage = useMay('payments:manage');
  return (
    <Stack gap="sm">
      <FactList>
        <Fact label={t('state')}>
          <Status tone={tones[state]}>{t(state)}</Status>
        </Fact>
        {isOff ? null : <Fact label={t('card')}>{card === null ? t('noCard') : card.title || t('savedCard')}</Fact>}
        {failures === 0 ? null : <Fact label={t('failures')}>{failures}</Fact>}
        {nextAttemptAt === null || state !== 'on' ? null : (
          <Fact label={t('next')}>
            <Instant value={nextAttemptAt} />
          </Fact>
        )}
      </FactList>
      <Explanation automatic={automatic} />
      {mayManage && state === 'waiting_for_card' ? <SaveCard automatic={automatic} /> : null}
      {mayManage && !isOff ? <SwitchOff /> : null}
    </Stack>
  );
}

function Explanation({ automatic: { state, stopReason, failures } }: { automatic: AutoTopUp }) {
  const t = useTexts(automaticTexts);
  const text =
    state === 'stopped'
      ? t(stopReason === 'dispute' ? 'stoppedDispute' : 'stoppedFailures')
      : state === 'waiting_for_card'
        ? t('waitingText')
        : state === 'on' && failures > 0
          ? t('failing')
          : undefined;
  return text === undefined ? null : <Text size="sm">{text}</Text>;
}

/** The first payment saves the card. */
function SaveCard({ automatic: { settings } }: { automatic: AutoTopUp }) {
  const t = useTexts(automaticTexts);
  const paid = usePaid();
  const creation = useCreatePayment(() => {});
  if (settings === null) return null;
  const { method, amount, currency } = settings;
  return (
    <>
      <FormError error={creation.error} />
      <Group>
        <Button
          loading={creation.isPending}
          onClick={() => creation.mutate({ method, amount, currency, saveCard: true })}
        >
          {t('payAndSave', { amount: paid(amount, currency) })}
        </Button>
      </Group>
    </>
  );
}

function SwitchOff() {
  const t = useTexts(automaticTexts);
  const [isConfirming, setConfirming] = useState(false);
  const queries = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: switchOffAutoTopUp,
    onSuccess: async () => {
      notifyDone(t('switchedOff'));
      await queries.invalidateQueries(autoTopUpQuery);
    },
  });
  return (
    <Group>
      <Button variant="default" onClick={() => setConfirming(true)}>
        {t('switchOff')}
      </Button>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={t('offTitle')}
        text={t('offText')}
        confirmLabel={t('switchOff')}
        onConfirm={() => mutateAsync()}
      />
    </Group>
  );
}
