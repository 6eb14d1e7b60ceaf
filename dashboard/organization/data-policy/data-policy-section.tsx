/** Which providers may see the requests of the organization. */
import { Button, Group, Skeleton } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Editable } from '../../app/components/fields/editable.tsx';
import { useSavedValues } from '../../app/components/fields/use-saved-values.ts';
import { Loaded } from '../../app/components/loaded.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { Section } from '../../app/components/section.tsx';
import { FormError } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { changeDataPolicy, type DataPolicy, dataPolicyQuery } from '../queries.ts';
import { PolicyFields, useCountryProblem } from './policy-fields.tsx';
import { policyTexts } from './policy-texts.ts';
import { type PolicyValues, policyOf, valuesOfPolicy } from './policy-values.ts';

export function DataPolicySection() {
  const t = useTexts(policyTexts);
  const query = useQuery(dataPolicyQuery);
  return (
    <Section title={t('title')} description={t('text')}>
      <Loaded query={query} skeleton={<Skeleton height={244} />}>
        {(saved) => <DataPolicyForm saved={saved} />}
      </Loaded>
    </Section>
  );
}

function DataPolicyForm({ saved }: { saved: DataPolicy }) {
  const common = useTexts(commonTexts);
  const queries = useQueryClient();
  const mayManage = useMay('organization:manage');
  const problemOf = useCountryProblem('countries');
  const values = { policy: valuesOfPolicy(saved) };
  const form = useForm({ initialValues: values });
  useSavedValues(form, values);
  const save = useMutation({
    mutationFn: ({ policy }: { policy: PolicyValues }) => changeDataPolicy(policyOf(policy)),
    onSuccess: (changed) => {
      queries.setQueryData(dataPolicyQuery.queryKey, changed);
      form.setValues({ policy: valuesOfPolicy(changed) });
      form.resetDirty();
      notifyDone(common('saved'));
    },
    onError: (error, { policy }) => form.setFieldError('policy', problemOf(error, policy)),
  });
  const isAboutCountry = problemOf(save.error, form.values.policy) !== undefined;
  const actions = (
    <>
      <FormError error={isAboutCountry ? null : save.error} />
      <Group>
        <Button type="submit" loading={save.isPending}>
          {common('apply')}
        </Button>
      </Group>
    </>
  );
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Editable mayEdit={mayManage} actions={actions}>
        <PolicyFields {...form.getInputProps('policy')} value={form.values.policy} />
      </Editable>
    </form>
  );
}
