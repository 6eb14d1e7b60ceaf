/** Whether, when and in which language alerts are sent. */
import { Button, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { customsOf, languages } from '../../shared/languages.ts';
import { Editable } from '../app/components/fields/editable.tsx';
import { LabelledSwitch } from '../app/components/fields/labelled-switch.tsx';
import { useSavedValues } from '../app/components/fields/use-saved-values.ts';
import { notifyDone } from '../app/components/notify.ts';
import { FormError, fieldOf } from '../app/errors/form-error.tsx';
import { commonTexts } from '../app/i18n/common-texts.ts';
import { isLanguage } from '../app/i18n/language.ts';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatDecimal } from '../app/money/format-money.ts';
import { useMay } from '../app/session/permissions.ts';
import { parseHours, parseThreshold } from './alert-settings.ts';
import { alertsTexts } from './alerts-texts.ts';
import { type Settings, type SettingsChange, saveSettings, settingsQuery } from './queries.ts';

const fields = { lowBalanceThreshold: 'threshold', notificationIntervalHours: 'hours' } as const;

export function SettingsForm({ saved }: { saved: Settings }) {
  const t = useTexts(alertsTexts);
  const common = useTexts(commonTexts);
  const form = useSettingsForm(saved);
  const mayManage = useMay('payments:manage');
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: saveSettings,
    onSuccess: (settings) => {
      queries.setQueryData(settingsQuery.queryKey, settings);
      form.resetDirty();
      notifyDone(common('saved'));
    },
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, t(field === 'hours' ? 'hoursWrong' : 'thresholdWrong'));
    },
  });
  const actions = (
    <>
      <FormError error={fieldOf(save.error, fields) === undefined ? save.error : null} />
      <Group>
        <Button type="submit" loading={save.isPending}>
          {common('save')}
        </Button>
      </Group>
    </>
  );
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(changeOf(values)))} noValidate>
      <Editable mayEdit={mayManage} actions={actions}>
        <LabelledSwitch
          label={t('emails')}
          description={t('emailsHint')}
          {...form.getInputProps('enabled', { type: 'checkbox' })}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          <TextInput
            label={t('threshold')}
            description={t('thresholdHint')}
            inputMode="decimal"
            {...form.getInputProps('threshold')}
          />
          <TextInput
            label={t('hours')}
            description={t('hoursHint')}
            inputMode="decimal"
            {...form.getInputProps('hours')}
          />
        </SimpleGrid>
        <NativeSelect
          label={t('mailLanguage')}
          data={languages.map((value) => ({ value, label: customsOf[value].name }))}
          maw={240}
          {...form.getInputProps('language')}
        />
      </Editable>
    </form>
  );
}

interface Values {
  readonly enabled: boolean;
  readonly threshold: string;
  readonly hours: string;
  readonly language: string;
}

function useSettingsForm(saved: Settings) {
  const t = useTexts(alertsTexts);
  const language = useLanguage();
  const values = {
    enabled: saved.emailNotificationsEnabled,
    threshold: formatDecimal(saved.lowBalanceThresholdRub, language),
    hours: formatDecimal(String(saved.notificationIntervalHours), language),
    language: saved.language,
  };
  const form = useForm<Values>({
    initialValues: values,
    validate: {
      threshold: (text) => (parseThreshold(text) === undefined ? t('thresholdWrong') : null),
      hours: (text) => (parseHours(text) === undefined ? t('hoursWrong') : null),
    },
  });
  useSavedValues(form, values);
  return form;
}

function changeOf({ enabled, threshold, hours, language }: Values): SettingsChange {
  const interval = parseHours(hours);
  return {
    emailNotificationsEnabled: enabled,
    // The API takes a number here. One with so few digits is written into JSON as it was typed.
    lowBalanceThreshold: Number(parseThreshold(threshold)),
    ...(interval !== undefined && { notificationIntervalHours: interval }),
    ...(isLanguage(language) && { language }),
  };
}
