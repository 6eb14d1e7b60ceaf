/** The name and the time zone of the organization. */
import { Button, Group, Select } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { organizationsQuery } from '../../app/api/shared-queries.ts';
import { Editable } from '../../app/components/fields/editable.tsx';
import { OrganizationNameField, useNameProblem } from '../../app/components/fields/organization-name-field.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { FormError } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { session } from '../../app/session/session.ts';
import { organizationTexts } from '../organization-texts.ts';
import { changeOrganization, type Organization, type OrganizationChange, organizationQuery } from '../queries.ts';

type Values = Required<OrganizationChange>;

export function SettingsForm({ saved }: { saved: Organization }) {
  const t = useTexts(organizationTexts);
  const common = useTexts(commonTexts);
  const queries = useQueryClient();
  const mayManage = useMay('organization:manage');
  const zones = useMemo(() => zonesWith(saved.timeZone), [saved.timeZone]);
  const form = useForm<Values>({
    initialValues: { name: saved.name, timeZone: saved.timeZone },
    validate: { name: useNameProblem() },
  });
  const save = useMutation({
    mutationFn: async (values: Values) => {
      const change = changesOf(saved, values);
      return Object.keys(change).length === 0 ? saved : changeOrganization(change);
    },
    onSuccess: (changed) => {
      queries.setQueryData(organizationQuery.queryKey, changed);
      session.renameOrganization(changed);
      notifyDone(common('saved'));
      return queries.invalidateQueries(organizationsQuery);
    },
  });
  const actions = (
    <>
      <FormError error={save.error} />
      <Group>
        <Button type="submit" loading={save.isPending}>
          {common('save')}
        </Button>
      </Group>
    </>
  );
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Editable mayEdit={mayManage} actions={actions}>
        <OrganizationNameField description={t('nameHint')} maw={420} {...form.getInputProps('name')} />
        <Select
          label={t('timeZone')}
          description={t('timeZoneHint')}
          data={zones}
          searchable
          allowDeselect={false}
          nothingFoundMessage={t('noZone')}
          maw={420}
          {...form.getInputProps('timeZone')}
        />
      </Editable>
    </form>
  );
}

/** Without what is as it was: a name that is not the organization's own follows the company's, and should go on doing so. */
function changesOf(saved: Organization, { name, timeZone }: Values): OrganizationChange {
  return {
    ...(name.trim() !== saved.name && { name: name.trim() }),
    ...(timeZone !== saved.timeZone && { timeZone }),
  };
}

/** Those that the browser knows, and the present one. */
function zonesWith(timeZone: string): string[] {
  return [...new Set(['UTC', timeZone, ...Intl.supportedValuesOf('timeZone')])].sort();
}
