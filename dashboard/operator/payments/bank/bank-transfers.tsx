/** Transfers of bank statements: uploaded, compared with open invoices, and booked. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { notifyDone } from '../../../app/components/notify.ts';
import { Pager } from '../../../app/components/pager.tsx';
import { FormError } from '../../../app/errors/form-error.tsx';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { UploadButton } from '../../upload-button.tsx';
import { bankTexts } from './bank-texts.ts';
import { LineTable } from './line-table.tsx';
import { openLinesQuery, pageLines, uploadStatement } from './queries.ts';
import { useBooking } from './use-booking.ts';

/** `offset`: how many newer ones there are. */
export function BankTransfers({ offset }: { offset: number }) {
  const t = useTexts(bankTexts);
  const queries = useQueryClient();
  const query = useQuery(openLinesQuery(offset));
  const booking = useBooking();
  const upload = useMutation({
    mutationFn: uploadStatement,
    onSuccess: async ({ lines }) => {
      notifyDone(t('uploaded', { count: lines.length }));
      await queries.invalidateQueries({ queryKey: ['operator-bank-lines'] });
    },
  });
  const { lines, total = 0 } = query.data ?? {};
  const certain = (lines ?? []).filter(({ state }) => state === 'certain');
  const next = offset + pageLines;
  const pager = (
    <Pager cursor={offset === 0 ? undefined : String(offset)} nextCursor={next < total ? String(next) : null} />
  );
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={560} flex="1 1 240px">
          {t('text')}
        </Text>
        <Group gap="xs">
          {certain.length === 0 ? null : (
            <Button
              variant="default"
              loading={booking.isPending}
              onClick={() => booking.mutate(certain.map(({ id }) => ({ id })))}
            >
              {t('bookAll', { count: certain.length })}
            </Button>
          )}
          <UploadButton
            label={t('upload')}
            leftSection={<IconUpload size={16} aria-hidden />}
            accept=".txt,text/plain"
            loading={upload.isPending}
            onFile={(file) => upload.mutate(file)}
          />
        </Group>
      </Group>
      <FormError error={upload.error ?? booking.error} />
      <LineTable
        lines={lines}
        query={query}
        booking={booking}
        pager={offset === 0 && next >= total ? undefined : pager}
      />
    </Stack>
  );
}
