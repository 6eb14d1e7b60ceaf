/** From which IP addresses requests with the organization's keys are accepted. */
import { Alert, Button, Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { AddressesField, useEntryProblem } from '../../app/components/fields/addresses-field.tsx';
import { Editable } from '../../app/components/fields/editable.tsx';
import { entriesOf } from '../../app/components/fields/entries.ts';
import { useSavedValues } from '../../app/components/fields/use-saved-values.ts';
import { notifyDone } from '../../app/components/notify.ts';
import { FormError } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { type AllowList, allowListQuery, changeAllowList } from '../queries.ts';
import { settingsTexts } from './settings-texts.ts';

export function AddressesForm({ saved }: { saved: AllowList }) {
  const t = useTexts(settingsTexts);
  const common = useTexts(commonTexts);
  const queries = useQueryClient();
  const mayManage = useMay('organization:manage');
  const problemOf = useEntryProblem('entries');
  const values = valuesOf(saved);
  const form = useForm({ initialValues: values });
  useSavedValues(form, values);
  const save = useMutation({
    mutationFn: ({ entries }: { entries: string }) => changeAllowList(entriesOf(entries)),
    onSuccess: (changed) => {
      queries.setQueryData(allowListQuery.queryKey, changed);
      form.setValues(valuesOf(changed));
      form.resetDirty();
      notifyDone(common('saved'));
    },
    onError: (error, { entries }) => form.setFieldError('entries', problemOf(error, entries)),
  });
  const isAboutEntry = problemOf(save.error, form.values.entries) !== undefined;
  const actions = (
    <>
      <FormError error={isAboutEntry ? null : save.error} />
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
        <AddressesField
          label={t('addressesField')}
          description={t('addressesHint')}
          maw={420}
          {...form.getInputProps('entries')}
        />
        <Warning list={saved} />
      </Editable>
    </form>
  );
}

const valuesOf = ({ entries }: AllowList) => ({ entries: entries.join('\n') });

/** That the list leaves out the reader, who may not be where the keys are used. */
function Warning({ list: { callerAddress, warning } }: { list: AllowList }) {
  const t = useTexts(settingsTexts);
  if (warning === null) return null;
  return (
    <Alert color="yellow" variant="outline" role="status" maw={560}>
      {callerAddress === null ? t('addressUnknown') : t('addressExcluded', { address: callerAddress })}
    </Alert>
  );
}
