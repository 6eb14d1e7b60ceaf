/** The fields of a key: for creating and for editing it. */
import {
  Button,
  Collapse,
  Fieldset,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { perRateLimit, rateLimits } from '../../shared/limits/rate-limits.ts';
import { perSpendLimit, spendLimits } from '../../shared/limits/spend-limits.ts';
import { AddressesField, useEntryProblem } from '../app/components/fields/addresses-field.tsx';
import { DateField } from '../app/components/fields/date-field.tsx';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../app/errors/form-error.tsx';
import { commonTexts } from '../app/i18n/common-texts.ts';
import { limitTexts } from '../app/i18n/limit-texts.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { useAmountProblem } from '../app/money/money.tsx';
import { today } from '../app/time/days.ts';
import { PolicyFields, useCountryProblem } from '../organization/data-policy/policy-fields.tsx';
import { policyTexts } from '../organization/data-policy/policy-texts.ts';
import { useProjects } from '../organization/projects/use-projects.ts';
import { expiryDays, hasLimits, type KeyFormValues, noProject } from './key-form-values.ts';
import { keysTexts } from './keys-texts.ts';
import { type KeyKind, modelIdsQuery } from './queries.ts';

interface KeyFormProps {
  readonly kind: KeyKind;
  readonly initialValues: KeyFormValues;
  readonly submitLabel: string;
  /** `before` is what the form showed at first. */
  readonly onSubmit: (values: KeyFormValues, before: KeyFormValues) => Promise<unknown>;
  readonly onCancel: () => void;
}

type Form = UseFormReturnType<KeyFormValues>;

const fields = { projectId: 'project' } as const;

export function KeyForm({ kind, initialValues, submitLabel, onSubmit, onCancel }: KeyFormProps) {
  const t = useTexts(keysTexts);
  const common = useTexts(commonTexts);
  const form = useKeyForm(initialValues);
  const problemsOf = useFieldProblems(form);
  const save = (values: KeyFormValues) => onSubmit(values, form.getInitialValues());
  const submit = useMutation({ mutationFn: save, onError: (error) => form.setErrors(problemsOf(error)) });
  const isAboutField = Object.values(problemsOf(submit.error)).some((problem) => problem !== undefined);
  return (
    <form onSubmit={form.onSubmit((values) => submit.mutate(values))} noValidate>
      <Stack>
        <TextInput label={t('name')} description={t('nameHint')} data-autofocus {...form.getInputProps('name')} />
        {kind === 'proxy' ? <ProjectField form={form} /> : null}
        <ExpiryFields form={form} />
        {kind === 'proxy' ? <LimitFields form={form} /> : null}
        <FormError error={isAboutField ? null : submit.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={submit.isPending} onClick={onCancel}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={submit.isPending}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** What the API does not accept, by field. */
function useFieldProblems(form: Form): (error: unknown) => Readonly<Record<string, string | undefined>> {
  const describe = useDescribeError();
  const addressProblem = useEntryProblem('allowedIps');
  const countryProblem = useCountryProblem('dataPolicy.countries');
  return (error) => ({
    project: fieldOf(error, fields) && describe(error).text,
    addresses: addressProblem(error, form.values.addresses),
    policy: countryProblem(error, form.values.policy),
  });
}

function useKeyForm(initialValues: KeyFormValues): Form {
  const t = useTexts(keysTexts);
  const common = useTexts(commonTexts);
  const amountProblem = useAmountProblem();
  const amount = (text: string) => (text.trim() === '' ? null : amountProblem(text));
  const count = (text: string) => (/^(?:[1-9]\d{0,8})?$/.test(text.trim()) ? null : common('invalidCount'));
  return useForm<KeyFormValues>({
    initialValues,
    validate: {
      name: (name) => (name.trim() === '' ? t('nameMissing') : null),
      date: (date, { expiry }) => (expiry === 'date' && date === null ? t('dateMissing') : null),
      cache: (text) => (isCacheTime(text.trim()) ? null : t('cacheInvalid')),
      ...perSpendLimit(() => amount),
      ...perRateLimit(() => count),
    },
  });
}

const cacheSecondsMax = 86_400;

function isCacheTime(text: string): boolean {
  return text === '' || (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= cacheSecondsMax);
}

function ExpiryFields({ form }: { form: Form }) {
  const t = useTexts(keysTexts);
  const choices = [
    { value: 'never', label: t('never') },
    ...expiryDays.map((days) => ({ value: String(days), label: t('inDays', { count: days }) })),
    { value: 'date', label: t('onDate') },
  ];
  return (
    <>
      <Select label={t('expires')} data={choices} allowDeselect={false} {...form.getInputProps('expiry')} />
      {form.values.expiry === 'date' ? (
        <DateField label={t('date')} minDate={today()} {...form.getInputProps('date')} />
      ) : null}
    </>
  );
}

/** Nothing without a project to choose. One that is archived is offered only to the key that is in it. */
function ProjectField({ form }: { form: Form }) {
  const t = useTexts(keysTexts);
  const common = useTexts(commonTexts);
  const initial = form.getInitialValues().project;
  const choices = useProjects()
    .filter(({ id, archived }) => !archived || String(id) === initial)
    .map(({ id, name, archived }) => ({ value: String(id), label: archived ? t('archivedProject', { name }) : name }));
  if (choices.length === 0) return null;
  return (
    <Select
      label={t('project')}
      data={[{ value: noProject, label: common('none') }, ...choices]}
      searchable
      allowDeselect={false}
      {...form.getInputProps('project')}
    />
  );
}

function LimitFields({ form }: { form: Form }) {
  const t = useTexts(keysTexts);
  const [isOpen, setOpen] = useState(hasLimits(form.values));
  const models = useQuery({ ...modelIdsQuery, enabled: isOpen });
  const limit = useTexts(limitTexts);
  const policy = useTexts(policyTexts);
  const Chevron = isOpen ? IconChevronUp : IconChevronDown;
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        rightSection={<Chevron size={16} aria-hidden />}
      >
        {t(isOpen ? 'hideLimits' : 'showLimits')}
      </Button>
      <Collapse expanded={isOpen}>
        <Stack gap="sm" pt="sm">
          <MultiSelect
            label={t('models')}
            description={t('modelsHint')}
            data={models.data ?? form.values.models}
            searchable
            clearable
            {...form.getInputProps('models')}
          />
          <AddressesField description={t('addressesHint')} {...form.getInputProps('addresses')} />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {spendLimits.map(({ name }) => (
              <TextInput key={name} label={limit(`${name}Field`)} inputMode="decimal" {...form.getInputProps(name)} />
            ))}
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" className="key-rates">
            {rateLimits.map(({ name }) => (
              <TextInput key={name} label={limit(name)} inputMode="numeric" {...form.getInputProps(name)} />
            ))}
          </SimpleGrid>
          <Text size="xs" c="dimmed">
            {t('limitHint')}
          </Text>
          <TextInput
            label={t('cache')}
            description={t('cacheHint')}
            inputMode="numeric"
            {...form.getInputProps('cache')}
          />
          <Fieldset
            variant="unstyled"
            m={0}
            legend={
              <Text inherit fw={600}>
                {policy('title')}
              </Text>
            }
          >
            <PolicyFields {...form.getInputProps('policy')} value={form.values.policy} />
          </Fieldset>
        </Stack>
      </Collapse>
    </div>
  );
}
