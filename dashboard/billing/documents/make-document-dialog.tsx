/** Makes the act of a month that is over, or a reconciliation of any days. */
import { Anchor, Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../app/api/api-error.ts';
import { useIdempotencyKeys } from '../../app/api/use-idempotency-keys.ts';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { MonthField } from '../../app/components/fields/month-field.tsx';
import { RangeField } from '../../app/components/fields/range-field.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { FormError } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { type DayRange, dayBefore, monthOf, today } from '../../app/time/days.ts';
import { missingDetails, useDetailNames } from '../../company/detail-problems.ts';
import { documentsTexts } from './documents-texts.ts';
import { type AccountingDocument, type DocumentInput, documentName, makeDocument } from './queries.ts';

interface MakeDocumentDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMade: (document: AccountingDocument) => void;
}

export function MakeDocumentDialog({ opened, onClose, onMade }: MakeDocumentDialogProps) {
  const t = useTexts(documentsTexts);
  return (
    <Dialog opened={opened} onClose={onClose} title={t('makeTitle')}>
      <MakeForm onClose={onClose} onMade={onMade} />
    </Dialog>
  );
}

interface Values {
  readonly type: DocumentInput['type'];
  /** A day of it. */
  readonly month: string;
  readonly range: DayRange;
}

function MakeForm({ onClose, onMade }: Omit<MakeDocumentDialogProps, 'opened'>) {
  const t = useTexts(documentsTexts);
  const common = useTexts(commonTexts);
  const lastMonth = monthOf(dayBefore(monthOf(today()).from));
  const form = useForm<Values>({ initialValues: { type: 'act', month: lastMonth.from, range: lastMonth } });
  const make = useMaking(onMade);
  const { type, month, range } = form.values;
  return (
    <form onSubmit={form.onSubmit((values) => make.mutate(inputOf(values)))} noValidate>
      <Stack>
        <Radio.Group label={t('type')} {...form.getInputProps('type')}>
          <Stack gap="xs" mt={6}>
            {(['act', 'reconciliation'] as const).map((value) => (
              <Radio
                key={value}
                value={value}
                label={t(value)}
                description={t(`${value}Text`)}
                className="choice-card"
              />
            ))}
          </Stack>
        </Radio.Group>
        {type === 'act' ? (
          <MonthField
            label={t('month')}
            value={month}
            maxMonth={lastMonth.from}
            onChange={(chosen) => form.setFieldValue('month', chosen)}
          />
        ) : (
          <RangeField
            value={range}
            onChange={(days) => form.setFieldValue('range', days ?? lastMonth)}
            placeholder={t('choosePeriod')}
          />
        )}
        <MakingError error={make.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={make.isPending}>
            {t('submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const inputOf = ({ type, month, range }: Values): DocumentInput =>
  type === 'act' ? { type, month: month.slice(0, 7) } : { type, ...range };

function useMaking(onMade: (document: AccountingDocument) => void) {
  const t = useTexts(documentsTexts);
  const queries = useQueryClient();
  const repeatable = useIdempotencyKeys();
  return useMutation({
    mutationFn: (input: DocumentInput) => makeDocument(input, repeatable.keyOf(input)),
    onSuccess: async (document) => {
      await queries.invalidateQueries({ queryKey: ['documents', 'list'] });
      notifyDone(t('made', { name: documentName(document, t) }));
      onMade(document);
    },
  });
}

const ownCodes = { nothing_to_document: 'nothing', documents_unavailable: 'unavailable' } as const;

function MakingError({ error }: { error: unknown }) {
  const t = useTexts(documentsTexts);
  const nameOf = useDetailNames();
  const missing = missingDetails(error);
  if (missing !== undefined) {
    return (
      <Text size="sm" role="alert">
        {t('missing', { fields: missing.map(nameOf).join(', ') })}{' '}
        <Anchor component={Link} to="/company" inherit>
          {t('toCompany')}
        </Anchor>
      </Text>
    );
  }
  const code = error instanceof ApiError ? error.code : '';
  const own = Object.entries(ownCodes).find(([known]) => known === code)?.[1];
  if (own === undefined) return <FormError error={error} />;
  return (
    <Text size="sm" role="alert" c="var(--mantine-color-error)">
      {t(own)}
    </Text>
  );
}
