/** How and how much to pay, with what the balance gets for it. */
import { Button, Group, Radio, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { bankTransfer, knownMethod } from '../../../shared/payment-methods.ts';
import { FormError } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatPercent, formatUsd, signOf } from '../../app/money/format-money.ts';
import { useRateText } from '../../app/money/money.tsx';
import { dollarsFor } from '../payments/paid-amount.ts';
import { paymentTexts } from '../payments/payment-texts.ts';
import { methodName, usePaid } from '../payments/payment-words.tsx';
import type { Methods } from '../queries.ts';
import { topUpTexts } from './top-up-texts.ts';
import type { TopUpFormState } from './use-top-up-form.ts';

interface TopUpFormProps {
  readonly methods: Methods;
  readonly form: TopUpFormState;
  readonly creation: Pick<UseMutationResult, 'isPending' | 'error'>;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
}

export function TopUpForm({ methods, form, creation, onSubmit, onCancel }: TopUpFormProps) {
  const t = useTexts(topUpTexts);
  const common = useTexts(commonTexts);
  const paid = usePaid();
  const { method, currency } = form.values;
  const { min, max } = form.limits;
  return (
    <form onSubmit={form.onSubmit(onSubmit)} noValidate>
      <Stack>
        <MethodField methods={methods} form={form} />
        {form.currencies.length < 2 ? null : (
          <SegmentedControl
            aria-label={t('currency')}
            value={currency}
            onChange={(value) => form.setFieldValue('currency', value === 'USD' ? 'USD' : 'RUB')}
            data={form.currencies.map((value) => ({ value, label: t(value) }))}
          />
        )}
        <TextInput
          label={t(`amount${currency}`)}
          description={t('limits', { min: paid(min, currency), max: paid(max, currency) })}
          inputMode="decimal"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('text')}
        />
        <Result methods={methods} form={form} />
        <FormError error={creation.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={creation.isPending}>
            {t(method === bankTransfer ? 'getInvoice' : 'pay')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function MethodField({ methods, form }: Pick<TopUpFormProps, 'methods' | 'form'>) {
  const t = useTexts(topUpTexts);
  const words = useTexts(paymentTexts);
  const hintOf = (id: string) => {
    const known = knownMethod(id);
    return known && t(`${known.id}Hint`);
  };
  return (
    <Radio.Group label={t('method')} value={form.values.method} onChange={form.chooseMethod}>
      <Stack gap="xs" mt={6}>
        {methods.methods.map(({ id }) => (
          <Radio key={id} value={id} label={methodName(id, words)} description={hintOf(id)} className="choice-card" />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** What the balance gets, and at which rate. As tall without an amount, so that nothing jumps. */
function Result({ methods: { rubRate, marginPercent }, form }: Pick<TopUpFormProps, 'methods' | 'form'>) {
  const t = useTexts(topUpTexts);
  const language = useLanguage();
  const rateText = useRateText(rubRate);
  const { amount, values } = form;
  const isRub = values.currency === 'RUB';
  const credit = amount && (isRub ? dollarsFor(amount, { perUsd: rubRate.perUsd, marginPercent }) : amount);
  const notes = [
    rateText,
    signOf(marginPercent) > 0 ? t('margin', { margin: formatPercent(marginPercent, language) }) : '',
    t('rateNote'),
  ];
  return (
    <div className="top-up-result" aria-live="polite">
      {credit === undefined ? (
        <Text size="sm" c="dimmed">
          {t('enterAmount')}
        </Text>
      ) : (
        <Text size="sm" fw={600}>
          {t('youGet', { amount: formatUsd(credit, language) })}
        </Text>
      )}
      {isRub ? (
        <Text size="xs" c="dimmed">
          {sentences(notes)}
        </Text>
      ) : null}
    </div>
  );
}

const sentences = (texts: readonly string[]) =>
  texts
    .filter((text) => text !== '')
    .map((text) => (text.endsWith('.') ? text : `${text}.`))
    .join(' ');
