/** Orders a top-up, then leads to where it is paid. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { newIdempotencyKey } from '../../app/api/api.ts';
import { type Order, orderPayment, type Payment, paymentQuery } from '../queries.ts';

/** The API adds the payment's id. */
const returnUrl = '/billing?returned=1';

/** `onOrdered` is called for a payment that is not paid on another page. */
export function useOrder(onOrdered: (payment: Payment) => void) {
  const queries = useQueryClient();
  // The same order that is sent again has the same key, so a lost answer never makes two.
  const keys = useRef(new Map<string, string>());
  return useMutation({
    mutationFn: (order: Omit<Order, 'returnUrl'>) => {
      const content = JSON.stringify(order);
      const key = keys.current.get(content) ?? newIdempotencyKey();
      keys.current.set(content, key);
      return orderPayment({ ...order, returnUrl }, key);
    },
    onSuccess: (payment) => {
      queries.setQueryData(paymentQuery(payment.id).queryKey, payment);
      void queries.invalidateQueries({ queryKey: ['payments'] });
      void queries.invalidateQueries({ queryKey: ['documents', 'list'] });
      // The next order of the same amount is another one.
      keys.current.clear();
      if (payment.confirmationUrl === null) onOrdered(payment);
      else location.assign(payment.confirmationUrl);
    },
  });
}
