/** The account type and its details. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useDeferredValue, useState } from 'react';
import type { Profile } from '../app/api/shared-queries.ts';
import { Editable } from '../app/components/fields/editable.tsx';
import { Section } from '../app/components/section.tsx';
import { FormError } from '../app/errors/form-error.tsx';
import { commonTexts } from '../app/i18n/common-texts.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { useMay } from '../app/session/permissions.ts';
import { droppedBy, innAfter } from './change-type.ts';
import { isVerified } from './check-field.ts';
import {
  type AccountType,
  accountTypes,
  type CompanyField,
  groupsOf,
  isAccountType,
  valuesOf,
} from './company-fields.ts';
import { companyTexts } from './company-texts.ts';
import { DetailField } from './detail-field.tsx';
import { DropDialog, DropNote } from './dropped-details.tsx';
import {
  type CompanyFormState,
  isAtField,
  useCompanyForm,
  useDetailChecks,
  useSaveCompany,
} from './use-company-form.ts';

interface CompanyFormProps {
  readonly saved: Profile;
  /** “Save” without it. */
  readonly submitLabel?: string;
  readonly onSaved?: () => void;
}

export function CompanyForm({ saved, submitLabel, onSaved }: CompanyFormProps) {
  const t = useTexts(companyTexts);
  const common = useTexts(commonTexts);
  const form = useCompanyForm(saved);
  const save = useSaveCompany(form, onSaved);
  const mayManage = useMay('payments:manage');
  const [isConfirming, setConfirming] = useState(false);
  const type = form.values.accountType;
  // Eleven fields take longer to draw than people should wait to see the type that they chose.
  const drawnType = useDeferredValue(type);
  const before = { type: saved.accountType, values: valuesOf(saved) };
  const dropped = droppedBy(before, { type, values: form.values });
  const changeType = (next: string) => {
    if (!isAccountType(next)) return;
    form.setValues({ accountType: next, inn: innAfter(next, { saved: before, typed: form.values }) });
    form.clearErrors();
  };
  const actions = (
    <>
      <FormError error={isAtField(save.error, type) || isConfirming ? null : save.error} />
      <Group>
        <Button type="submit" loading={save.isPending}>
          {submitLabel ?? common('save')}
        </Button>
      </Group>
    </>
  );
  return (
    <form
      onSubmit={form.onSubmit(() => (dropped.length === 0 ? save.mutate(form.values) : setConfirming(true)))}
      noValidate
    >
      <Editable mayEdit={mayManage} actions={actions} gap="lg">
        <Section title={t('recipient')}>
          <Stack gap="sm">
            <NativeSelect
              label={t('accountType')}
              data={accountTypes.map((value) => ({ value, label: t(value) }))}
              maw={320}
              {...form.getInputProps('accountType')}
              onChange={({ currentTarget }) => changeType(currentTarget.value)}
            />
            {type === 'INDIVIDUAL' ? (
              <Text size="sm" c="dimmed">
                {t('individualText')}
              </Text>
            ) : null}
            <DropNote fields={dropped} values={before.values} type={type} />
          </Stack>
        </Section>
        <FieldGroup
          title={t(drawnType === 'IP' ? 'personTitle' : 'companyTitle')}
          fields={groupsOf[drawnType].own}
          type={drawnType}
          form={form}
        />
        <FieldGroup title={t('bankTitle')} fields={groupsOf[drawnType].bank} type={drawnType} form={form} />
      </Editable>
      <DropDialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        fields={dropped}
        values={before.values}
        type={type}
        onConfirm={() => save.mutateAsync(form.values)}
      />
    </form>
  );
}

interface FieldGroupProps {
  readonly title: string;
  readonly fields: readonly CompanyField[];
  readonly type: AccountType;
  readonly form: CompanyFormState;
}

function FieldGroup({ title, fields, type, form }: FieldGroupProps) {
  const { values, errors } = form;
  const { change, check } = useDetailChecks(form);
  if (fields.length === 0) return null;
  return (
    <Section title={title}>
      <div className="company-fields">
        {fields.map((field) => (
          <DetailField
            key={field}
            {...{ field, type }}
            value={values[field]}
            error={errors[field]}
            isVerified={isVerified(field, { type, values })}
            onType={change}
            onLeave={check}
          />
        ))}
      </div>
    </Section>
  );
}
