/** Fields of the dialog for budgets: what a new one applies to, and when a mail is sent. */
import { Checkbox, Group, Select } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { budgetLevels } from '../../../shared/limits/budget-levels.ts';
import { spendLimits } from '../../../shared/limits/spend-limits.ts';
import { limitTexts } from '../../app/i18n/limit-texts.ts';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatPercent } from '../../app/money/format-money.ts';
import { type BudgetFormValues, usualAlerts } from './budget-form-values.ts';
import { budgetsTexts } from './budgets-texts.ts';
import type { BudgetScope } from './queries.ts';
import { useScopeChoices } from './use-scope-choices.ts';

type Form = UseFormReturnType<BudgetFormValues>;

/** From the organization to keys. */
const scopes = budgetLevels.map(({ name }) => name).toReversed();
const periods = spendLimits.map(({ name }) => name);

export function PlaceFields({ form }: { form: Form }) {
  const t = useTexts(budgetsTexts);
  const limit = useTexts(limitTexts);
  const { scope } = form.values;
  // What is wrong with the period is so for the former choice only.
  const choose = (choice: Partial<BudgetFormValues>) => {
    form.setValues(choice);
    form.clearFieldError('period');
  };
  return (
    <>
      <Select
        label={t('scope')}
        data={scopes.map((value) => ({ value, label: t(value) }))}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('scope')}
        onChange={(value) => choose({ scope: scopes.find((each) => each === value) ?? scope, scopeId: null })}
      />
      {scope === 'organization' ? null : (
        <ScopeField key={scope} form={form} scope={scope} onChoose={(scopeId) => choose({ scopeId })} />
      )}
      <Select
        label={t('period')}
        description={t('periodHint')}
        data={periods.map((value) => ({ value, label: limit(`${value}Period`) }))}
        allowDeselect={false}
        {...form.getInputProps('period')}
      />
    </>
  );
}

interface ScopeFieldProps {
  readonly form: Form;
  readonly scope: BudgetScope;
  readonly onChoose: (id: string | null) => void;
}

function ScopeField({ form, scope, onChoose }: ScopeFieldProps) {
  const t = useTexts(budgetsTexts);
  return (
    <Select
      label={t(scope)}
      data={useScopeChoices(scope)}
      searchable
      allowDeselect={false}
      nothingFoundMessage={t('nothingFound')}
      {...form.getInputProps('scopeId')}
      onChange={onChoose}
    />
  );
}

/** The usual ones, and those that a program has set. */
export function AlertsField({ form }: { form: Form }) {
  const t = useTexts(budgetsTexts);
  const language = useLanguage();
  const percents = new Set([...usualAlerts, ...form.getInitialValues().alertsAt.map(Number)]);
  return (
    <Checkbox.Group label={t('alertsAt')} description={t('alertsHint')} {...form.getInputProps('alertsAt')}>
      <Group mt="xs">
        {[...percents]
          .toSorted((one, other) => one - other)
          .map((percent) => (
            <Checkbox key={percent} value={String(percent)} label={formatPercent(String(percent), language)} />
          ))}
      </Group>
    </Checkbox.Group>
  );
}
