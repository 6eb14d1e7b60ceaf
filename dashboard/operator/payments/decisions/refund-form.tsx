/** Returns money the way it was paid. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { bankTransfer } from '../../../../shared/payment-methods.ts';
import { notifyDone, notifyFailed } from '../../../app/components/notify.ts';
import { FormError } from '../../../app/errors/form-error.tsx';
import { commonTexts } from '../../../app/i18n/common-texts.ts';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { parsePaid } from '../../../billing/payments/paid-amount.ts';
import { usePaid } from '../../../billing/payments/payment-words.tsx';
import { limits } from '../../../generated/limits.ts';
import { paymentsTexts } from '../payments-texts.ts';
import { type Refund, refundPayment } from '../queries.ts';
import { type DecisionProps, DecisionTitle, useDecision } from './decision.tsx';

export function RefundForm({ payment, onClose }: DecisionProps) {
  const t = useTexts(paymentsTexts);
  const paid = usePaid();
  const common = useTexts(commonTexts);
  const { idempotencyKey, refresh } = useDecision();
  const form = useForm({
    initialValues: { amount: '', reason: '' },
    validate: {
      amount: (text) => (text.trim() !== '' && parsePaid(text) === undefined ? t('wrongAmount') : null),
      reason: (text) => (text.trim() === '' ? common('required') : null),
    },
  });
  const known = new Set(payment.refunds.map(({ id }) => id));
  const refund = useMutation({
    mutationFn: (input: Refund) => refundPayment(payment.id, input, idempotencyKey),
    onSuccess: async ({ refunds }) => {
      onClose();
      const refused = refunds.find(({ id, status }) => status === 'refused' && !known.has(id));
      if (refused === undefined) notifyDone(t('refundDone'));
      else notifyFailed({ title: t('refundRefused'), text: refused.problem ?? t('refundRefusedText') });
      await refresh();
    },
    // It may have been ordered although the response was lost.
    onError: refresh,
  });
  const submit = ({ amount: text, reason }: { amount: string; reason: string }) => {
    const amount = parsePaid(text);
    refund.mutate({ reason: reason.trim(), ...(amount !== undefined && { amount }) });
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <DecisionTitle>
          {t('refundTitle', { amount: paid(payment.amount, payment.currency), email: payment.email })}
        </DecisionTitle>
        <Text size="sm">{t(payment.method === bankTransfer ? 'refundTransferText' : 'refundText')}</Text>
        <TextInput
          label={t(`refundAmount${payment.currency}`)}
          description={t('refundAmountHint')}
          inputMode="decimal"
          autoComplete="off"
          {...form.getInputProps('amount')}
        />
        <TextInput
          label={t('reason')}
          description={t('reasonHint')}
          maxLength={limits.reasonMax}
          {...form.getInputProps('reason')}
        />
        <FormError error={refund.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" color="red.9" loading={refund.isPending}>
            {t('refund')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
