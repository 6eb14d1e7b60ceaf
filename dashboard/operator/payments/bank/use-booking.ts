/** Books transfers, and shows which were refused. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../../app/api/api-error.ts';
import { notifyDone, notifyFailed } from '../../../app/components/notify.ts';
import { useDescribeError } from '../../../app/errors/error-state.tsx';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { refreshPayments } from '../queries.ts';
import { bankTexts } from './bank-texts.ts';
import { bookLines } from './queries.ts';

/** Of each transfer on its own; the response as a whole is a success. */
const refusedStatus = 409;

export function useBooking() {
  const t = useTexts(bankTexts);
  const queries = useQueryClient();
  const describeError = useDescribeError();
  return useMutation({
    mutationFn: bookLines,
    onSuccess: ({ lines }) => {
      const refusals = lines.flatMap(({ number, error }) => {
        if (error === null) return [];
        const { text, detail = '' } = describeError(new ApiError({ status: refusedStatus, ...error }));
        return [`${t('transfer', { number })}: ${text} ${detail}`.trim()];
      });
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
