/** Creates a top-up, then leads to where it is paid. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useIdempotencyKeys } from '../../app/api/use-idempotency-keys.ts';
import { createPayment, type Payment, type PaymentInput, paymentQuery } from '../queries.ts';

/** The API adds the payment's id. */
const returnUrl = '/billing?returned=1';

/** `onCreated` is called for a payment that is not paid on another page. */
export function useCreatePayment(onCreated: (payment: Payment) => void) {
  const queries = useQueryClient();
  const repeatable = useIdempotencyKeys();
  return useMutation({
    mutationFn: (input: Omit<PaymentInput, 'returnUrl'>) =>
      createPayment({ ...input, returnUrl }, repeatable.keyOf(input)),
    onSuccess: (payment) => {
      queries.setQueryData(paymentQuery(payment.id).queryKey, payment);
      void queries.invalidateQueries({ queryKey: ['payments'] });
      void queries.invalidateQueries({ queryKey: ['documents', 'list'] });
      if (payment.confirmationUrl === null) {
        // The next order of the same amount is another one.
        repeatable.forget();
        onCreated(payment);
        return;
      }
      // Another click while the page of the provider loads is for the same order. Back here, the next one is for another.
      addEventListener('pageshow', () => repeatable.forget(), { once: true });
      location.assign(payment.confirmationUrl);
    },
  });
}
