/** Orders a top-up, then leads to where it is paid. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useIdempotencyKeys } from '../../app/api/use-idempotency-keys.ts';
import { type Order, orderPayment, type Payment, paymentQuery } from '../queries.ts';

/** The API adds the payment's id. */
const returnUrl = '/billing?returned=1';

/** `onOrdered` is called for a payment that is not paid on another page. */
export function useOrder(onOrdered: (payment: Payment) => void) {
  const queries = useQueryClient();
  const repeatable = useIdempotencyKeys();
  return useMutation({
    mutationFn: (order: Omit<Order, 'returnUrl'>) => orderPayment({ ...order, returnUrl }, repeatable.keyOf(order)),
    onSuccess: (payment) => {
      queries.setQueryData(paymentQuery(payment.id).queryKey, payment);
      void queries.invalidateQueries({ queryKey: ['payments'] });
      void queries.invalidateQueries({ queryKey: ['documents', 'list'] });
      // The next order of the same amount is another one.
      repeatable.forget();
      if (payment.confirmationUrl === null) onOrdered(payment);
      else location.assign(payment.confirmationUrl);
    },
  });
}
