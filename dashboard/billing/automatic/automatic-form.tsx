/** How much is charged, when, within which limits, and the consent to exactly that. */
import { Button, Checkbox, Group, NativeSelect, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Editable } from '../../app/components/fields/editable.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { FormError } from '../../app/errors/form-error.tsx';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatUsd } from '../../app/money/format-money.ts';
import { useMay } from '../../app/session/permissions.ts';
import { parsePaid } from '../payments/paid-amount.ts';
import { paymentTexts } from '../payments/payment-texts.ts';
import { methodName, usePaid } from '../payments/payment-words.tsx';
import { type AutoTopUp, type AutoTopUpInput, autoTopUpQuery, type Methods, saveAutoTopUp } from '../queries.ts';
import { automaticTexts } from './automatic-texts.ts';
import { type AutomaticFormState, type AutomaticValues, useAutomaticForm } from './use-automatic-form.ts';

export function AutomaticForm({ automatic, methods }: { automatic: AutoTopUp; methods: Methods }) {
  const t = useTexts(automaticTexts);
  const language = useLanguage();
  const form = useAutomaticForm(automatic, methods);
  const mayManage = useMay('payments:manage');
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (values: AutomaticValues) =>
      saveAutoTopUp({
        ...inputOf(values),
        consentVersion: automatic.consent.version,
        consentLanguage: language,
      }),
    onSuccess: (saved) => {
      queries.setQueryData(autoTopUpQuery.queryKey, saved);
      // A change needs a consent of its own.
      form.setFieldValue('agrees', false);
      notifyDone(t('switchedOn'));
    },
  });
  const isOn = automatic.state === 'on' || automatic.state === 'waiting_for_card';
  const actions = (
    <>
      <Consent text={automatic.consent.texts[language]} form={form} />
      <FormError error={save.error} />
      <Group>
        <Button type="submit" loading={save.isPending}>
          {t(isOn ? 'save' : 'switchOn')}
        </Button>
      </Group>
    </>
  );
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Editable mayEdit={mayManage} actions={actions}>
        <MethodFields automatic={automatic} form={form} />
        <AmountFields form={form} />
      </Editable>
    </form>
  );
}

type Amounts = Omit<AutoTopUpInput, 'belowUsd' | 'consentVersion' | 'consentLanguage'> & { readonly belowUsd: string };

/** Of values that were checked. */
function inputOf({ method, currency, amount, below, dayLimit, monthLimit }: AutomaticValues): Amounts {
  return {
    method,
    currency,
    amount: parsePaid(amount) ?? '',
    belowUsd: parsePaid(below) ?? '',
    dayLimit: parsePaid(dayLimit) ?? '',
    monthLimit: parsePaid(monthLimit) ?? '',
  };
}

/** Where there is a choice. */
function MethodFields({ automatic: { methods }, form }: { automatic: AutoTopUp; form: AutomaticFormState }) {
  const t = useTexts(automaticTexts);
  const words = useTexts(paymentTexts);
  const chosen = methods.find(({ id }) => id === form.values.method);
  // What was agreed to was something else.
  const change = (changed: Partial<AutomaticValues>) => form.setValues({ ...changed, agrees: false });
  const choose = (id: string) => {
    const currency = methods.find((method) => method.id === id)?.currencies[0];
    change({ method: id, ...(currency !== undefined && { currency }) });
  };
  return (
    <>
      {methods.length < 2 ? null : (
        <NativeSelect
          label={t('method')}
          data={methods.map(({ id }) => ({ value: id, label: methodName(id, words) }))}
          maw={320}
          value={form.values.method}
          onChange={({ currentTarget }) => choose(String(currentTarget.value))}
        />
      )}
      {(chosen?.currencies.length ?? 0) < 2 ? null : (
        <NativeSelect
          label={t('currency')}
          data={[...(chosen?.currencies ?? [])]}
          maw={320}
          value={form.values.currency}
          onChange={({ currentTarget }) => change({ currency: currentTarget.value === 'USD' ? 'USD' : 'RUB' })}
        />
      )}
    </>
  );
}

const amountFields = ['amount', 'below', 'dayLimit', 'monthLimit'] as const;

function AmountFields({ form }: { form: AutomaticFormState }) {
  const t = useTexts(automaticTexts);
  const sign = form.values.currency === 'RUB' ? '₽' : '$';
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      {amountFields.map((field) => (
        <TextInput
          key={field}
          label={t(field, { sign })}
          inputMode="decimal"
          autoComplete="off"
          {...form.getInputProps(field)}
          onChange={({ currentTarget }) => form.setValues({ [field]: currentTarget.value, agrees: false })}
        />
      ))}
    </SimpleGrid>
  );
}

/** The words with the amounts that are typed now: they are what the customer agrees to. */
function Consent({ text, form }: { text: string; form: AutomaticFormState }) {
  const t = useTexts(automaticTexts);
  const language = useLanguage();
  const paid = usePaid();
  const { amount, belowUsd, dayLimit, monthLimit, currency } = inputOf(form.values);
  const isComplete = [amount, belowUsd, dayLimit, monthLimit].every((value) => value !== '');
  const words = isComplete
    ? text
        .replace('{amount}', paid(amount, currency))
        .replace('{threshold}', formatUsd(belowUsd, language))
        .replace('{dayLimit}', paid(dayLimit, currency))
        .replace('{monthLimit}', paid(monthLimit, currency))
    : t('enterFirst');
  return (
    <div className="automatic-consent">
      <Text size="sm" c={isComplete ? 'var(--mantine-color-text)' : 'dimmed'} mb="sm">
        {words}
      </Text>
      <Checkbox label={t('agree')} disabled={!isComplete} {...form.getInputProps('agrees', { type: 'checkbox' })} />
    </div>
  );
}
