/** Creates a budget, or changes its amount and its alerts. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { limitTexts } from '../../app/i18n/limit-texts.ts';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { signOf } from '../../app/money/format-money.ts';
import { useAmountProblem } from '../../app/money/money.tsx';
import { parseAmount } from '../../app/money/parse-amount.ts';
import { useRefreshKeys } from '../../keys/use-refresh-keys.ts';
import { AlertsField, PlaceFields } from './budget-fields.tsx';
import { type BudgetFormValues, budgetChangeOf, newBudgetOf, valuesOf } from './budget-form-values.ts';
import { budgetsTexts } from './budgets-texts.ts';
import { type Budget, changeBudget, createBudget } from './queries.ts';
import { useBudgetWords, useScopeName } from './use-budget-words.ts';

interface BudgetDialogProps {
  /** Undefined for a new one. */
  readonly budget?: Budget;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function BudgetDialog({ budget, opened, onClose }: BudgetDialogProps) {
  const t = useTexts(budgetsTexts);
  const title = t(budget === undefined ? 'createBudget' : 'editBudget');
  return (
    <Dialog opened={opened} onClose={onClose} title={title} closeOnClickOutside={false}>
      <BudgetForm budget={budget} onClose={onClose} />
    </Dialog>
  );
}

interface BudgetFormProps {
  readonly budget: Budget | undefined;
  readonly onClose: () => void;
}

const fields = { scopeId: 'scopeId', period: 'period', amount: 'amount', alertsAt: 'alertsAt' } as const;

function BudgetForm({ budget, onClose }: BudgetFormProps) {
  const t = useTexts(budgetsTexts);
  const common = useTexts(commonTexts);
  const limit = useTexts(limitTexts);
  const nameOf = useScopeName();
  const { form, save, error } = useBudgetForm({ budget, onClose });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        {budget === undefined ? (
          <PlaceFields form={form} />
        ) : (
          <Text size="sm">{`${nameOf(budget)} · ${limit(`${budget.period}Period`)}`}</Text>
        )}
        <TextInput
          label={t('amount')}
          inputMode="decimal"
          {...(budget !== undefined && { 'data-autofocus': true })}
          {...form.getInputProps('amount')}
        />
        {form.values.scope === 'key' ? null : <AlertsField form={form} />}
        <FormError error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={save.isPending} onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {budget === undefined ? t('createBudget') : common('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const missing = { project: 'projectMissing', member: 'memberMissing', key: 'keyMissing' } as const;

function useBudgetForm({ budget, onClose }: BudgetFormProps) {
  const t = useTexts(budgetsTexts);
  const wordsOf = useBudgetWords();
  const describe = useDescribeError();
  const refresh = useRefreshKeys('proxy');
  const amountProblem = useAmountProblem();
  const form = useForm<BudgetFormValues>({
    initialValues: valuesOf(budget, useLanguage()),
    validate: {
      scopeId: (id, { scope }) => (scope === 'organization' || id !== null ? null : t(missing[scope])),
      amount: (text) => amountProblem(text) ?? (signOf(parseAmount(text) ?? '') > 0 ? null : t('amountTooLow')),
    },
  });
  const save = useMutation({
    mutationFn: async (values: BudgetFormValues) => {
      const saved = await (budget === undefined
        ? createBudget(newBudgetOf(values))
        : changeBudget(budget.id, budgetChangeOf(values)));
      await refresh();
      return saved;
    },
    onSuccess: (saved) => {
      notifyDone(t(budget === undefined ? 'created' : 'saved', wordsOf(saved)));
      onClose();
    },
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  return { form, save, error: fieldOf(save.error, fields) === undefined ? save.error : null };
}
