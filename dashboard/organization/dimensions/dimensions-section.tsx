/** What the organization's usage is attributed to: the user and names of the metadata of requests. */
import { Button, Group, Skeleton, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Editable } from '../../app/components/fields/editable.tsx';
import { LabelledSwitch } from '../../app/components/fields/labelled-switch.tsx';
import { useSavedValues } from '../../app/components/fields/use-saved-values.ts';
import { Loaded } from '../../app/components/loaded.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { Section } from '../../app/components/section.tsx';
import { FormError } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { dimensionsTexts } from './dimensions-texts.ts';
import { changeDimensions, type Dimensions, dimensionsQuery } from './queries.ts';

const namesMax = 5;
const nameForm = /^[A-Za-z0-9_.-]{1,64}$/;

export function DimensionsSection() {
  const t = useTexts(dimensionsTexts);
  const query = useQuery(dimensionsQuery);
  return (
    <Section title={t('title')} description={t('text')}>
      <Loaded query={query} skeleton={<Skeleton height={180} />}>
        {(saved) => <DimensionsForm saved={saved} />}
      </Loaded>
    </Section>
  );
}

function DimensionsForm({ saved: { metadata, user } }: { saved: Dimensions }) {
  const t = useTexts(dimensionsTexts);
  const common = useTexts(commonTexts);
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { metadata, user },
    validate: { metadata: (names) => (names.every((name) => nameForm.test(name)) ? null : t('badName')) },
  });
  useSavedValues(form, { metadata, user });
  const save = useMutation({
    mutationFn: changeDimensions,
    onSuccess: (changed) => {
      queries.setQueryData(dimensionsQuery.queryKey, changed);
      form.resetDirty();
      notifyDone(common('saved'));
    },
  });
  const actions = (
    <>
      <FormError error={save.error} />
      <Group>
        <Button type="submit" loading={save.isPending}>
          {common('apply')}
        </Button>
      </Group>
    </>
  );
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Editable mayEdit={useMay('projects:manage')} actions={actions}>
        <LabelledSwitch
          label={t('user')}
          description={t('userHint')}
          {...form.getInputProps('user', { type: 'checkbox' })}
        />
        <TagsInput
          label={t('metadata')}
          description={t('metadataHint', { count: namesMax })}
          maxTags={namesMax}
          splitChars={[',', ' ']}
          maw={420}
          {...form.getInputProps('metadata')}
        />
      </Editable>
    </form>
  );
}
