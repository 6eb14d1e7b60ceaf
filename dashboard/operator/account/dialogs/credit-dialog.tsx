/**
 * Books a payment or a refund.
 *
 * Invariant: an opened dialog has one Idempotency-Key, so sending it again after a failure never books twice.
 */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { newIdempotencyKey } from '../../../app/api/api.ts';
import { ApiError } from '../../../app/api/api-error.ts';
import { Dialog } from '../../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../../app/components/notify.ts';
import { FormError } from '../../../app/errors/form-error.tsx';
import { commonTexts } from '../../../app/i18n/common-texts.ts';
import { useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { sumDecimals } from '../../../app/money/decimal.ts';
import { formatUsd, signOf } from '../../../app/money/format-money.ts';
import { useAmountProblem } from '../../../app/money/money.tsx';
import { parseAmount } from '../../../app/money/parse-amount.ts';
import { limits } from '../../../generated/limits.ts';
import { accountTexts } from '../account-texts.ts';
import { type AccountDialogProps, bookCredit, type CreditKind, nameOf, refreshAccount } from '../queries.ts';

type CreditDialogProps = AccountDialogProps & { readonly kind: CreditKind };

export function CreditDialog(props: CreditDialogProps) {
  const t = useTexts(accountTexts);
  const { kind, account, opened, onClose } = props;
  const title = t(kind === 'credit' ? 'creditTitle' : 'refundTitle', { name: nameOf(account) });
  return (
    <Dialog opened={opened} onClose={onClose} title={title} closeOnClickOutside={false}>
      <CreditForm {...props} />
    </Dialog>
  );
}

function CreditForm({ kind, account, onClose }: CreditDialogProps) {
  const t = useTexts(accountTexts);
  const common = useTexts(commonTexts);
  const language = useLanguage();
  const form = useCreditForm();
  const book = useBooking(kind, account, onClose);
  const entered = parseAmount(form.values.amount);
  const amount = entered !== undefined && signOf(entered) > 0 ? entered : undefined;
  const usd = (value: string) => formatUsd(value, language);
  const submit = ({ reason }: { reason: string }) => {
    if (amount !== undefined) book.mutate({ usd: amount, reason: reason.trim() });
  };
  const isBooked = book.error instanceof ApiError && book.error.code === 'idempotency_key_reused';
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          {t(kind === 'credit' ? 'creditText' : 'refundText')}
        </Text>
        <TextInput label={t('amountUsd')} inputMode="decimal" data-autofocus {...form.getInputProps('amount')} />
        <TextInput
          label={t('reason')}
          description={t('reasonShown')}
          maxLength={limits.reasonMax}
          {...form.getInputProps('reason')}
        />
        <Text size="sm" aria-live="polite" mih={20}>
          {amount === undefined
            ? t('balanceNow', { balance: usd(account.balance) })
            : t('balanceAfter', { before: usd(account.balance), after: usd(sumDecimals([account.balance, amount])) })}
        </Text>
        {isBooked ? (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {t('alreadyBooked')}
          </Text>
        ) : (
          <FormError error={book.error} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={book.isPending} disabled={isBooked}>
            {amount === undefined
              ? t(kind)
              : t(kind === 'credit' ? 'creditAmount' : 'refundAmount', { amount: usd(amount) })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useCreditForm() {
  const common = useTexts(commonTexts);
  const amountProblem = useAmountProblem();
  return useForm({
    initialValues: { amount: '', reason: '' },
    validate: {
      amount: (text) => amountProblem(text) ?? (signOf(text) === 0 ? common('invalidAmount') : null),
      reason: (reason) => (reason.trim() === '' ? common('required') : null),
    },
  });
}

function useBooking(kind: CreditKind, account: AccountDialogProps['account'], onClose: () => void) {
  const t = useTexts(accountTexts);
  const language = useLanguage();
  const queries = useQueryClient();
  const [idempotencyKey] = useState(newIdempotencyKey);
  return useMutation({
    mutationFn: (input: { usd: string; reason: string }) =>
      bookCredit(kind, { accountId: account.id, ...input }, idempotencyKey),
    onSuccess: async ({ amount, balanceAfter }) => {
      const name = nameOf(account);
      const values = { name, amount: formatUsd(amount, language), balance: formatUsd(balanceAfter, language) };
      onClose();
      notifyDone(t(kind === 'credit' ? 'creditDone' : 'refundDone', values));
      await refreshAccount(queries, account.id);
    },
    // It may have been booked although the response was lost.
    onError: () => refreshAccount(queries, account.id),
  });
}
