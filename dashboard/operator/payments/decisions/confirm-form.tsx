/** The money has arrived: books the payment at the rate of the bank's day. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { DateField } from '../../../app/components/fields/date-field.tsx';
import { notifyDone } from '../../../app/components/notify.ts';
import { FormError } from '../../../app/errors/form-error.tsx';
import { commonTexts } from '../../../app/i18n/common-texts.ts';
import { useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { formatUsd } from '../../../app/money/format-money.ts';
import { todayInMoscow } from '../../../app/time/days.ts';
import { usePaid } from '../../../billing/payments/payment-words.tsx';
import { limits } from '../../../generated/limits.ts';
import { paymentsTexts } from '../payments-texts.ts';
import { type Confirmation, confirmPayment } from '../queries.ts';
import { type DecisionProps, DecisionTitle, useDecision } from './decision.tsx';

export function ConfirmForm({ payment, onClose }: DecisionProps) {
  const t = useTexts(paymentsTexts);
  const common = useTexts(commonTexts);
  const paid = usePaid();
  const form = useConfirmForm();
  const confirm = useConfirm(payment, onClose);
  const amount = paid(payment.amount, payment.currency);
  const submit = ({ paidAt, reference, reason }: Values) =>
    confirm.mutate({ paidAt: paidAt ?? '', reference: reference.trim(), reason: reason.trim() });
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <DecisionTitle>{t('confirmTitle', { amount })}</DecisionTitle>
        <Text size="sm">{t('confirmText', { email: payment.email })}</Text>
        <DateField label={t('bankDay')} maxDate={todayInMoscow()} {...form.getInputProps('paidAt')} />
        <TextInput
          label={t('bankReference')}
          description={t('bankReferenceHint')}
          maxLength={limits.transferReferenceMax}
          autoComplete="off"
          {...form.getInputProps('reference')}
        />
        <TextInput
          label={t('reason')}
          description={t('reasonHint')}
          maxLength={limits.reasonMax}
          {...form.getInputProps('reason')}
        />
        <FormError error={confirm.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={confirm.isPending}>
            {t('confirmAmount', { amount })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface Values {
  readonly paidAt: string | null;
  readonly reference: string;
  readonly reason: string;
}

function useConfirmForm() {
  const common = useTexts(commonTexts);
  const required = (text: string | null) => ((text ?? '').trim() === '' ? common('required') : null);
  return useForm<Values>({
    initialValues: { paidAt: todayInMoscow(), reference: '', reason: '' },
    validate: { paidAt: required, reference: required, reason: required },
  });
}

function useConfirm({ id, email }: DecisionProps['payment'], onClose: () => void) {
  const t = useTexts(paymentsTexts);
  const language = useLanguage();
  const { idempotencyKey, refresh } = useDecision();
  return useMutation({
    mutationFn: (confirmation: Confirmation) => confirmPayment(id, confirmation, idempotencyKey),
    onSuccess: async ({ creditUsd }) => {
      onClose();
      notifyDone(t('confirmed', { email, amount: formatUsd(creditUsd, language) }));
      await refresh();
    },
    // It may have been booked although the response was lost.
    onError: refresh,
  });
}
