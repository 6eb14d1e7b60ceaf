/** Books transfers, and tells which were refused. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyDone, notifyFailed } from '../../../app/components/notify.ts';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { refreshPayments } from '../queries.ts';
import { bankTexts } from './bank-texts.ts';
import { bookLines } from './queries.ts';

export function useBooking() {
  const t = useTexts(bankTexts);
  const queries = useQueryClient();
  return useMutation({
    mutationFn: bookLines,
    onSuccess: ({ lines }) => {
      const refusals = lines.flatMap(({ number, error }) => (error === null ? [] : [`${number}: ${error.message}`]));
      const count = lines.length - refusals.length;
      if (count > 0) notifyDone(t('booked', { count }));
      if (refusals.length > 0) notifyFailed({ title: t('notBooked'), text: refusals.join(' ') });
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['operator-bank-lines'] });
      await refreshPayments(queries);
    },
  });
}

export type Booking = ReturnType<typeof useBooking>;
