/** What the forms have in common in which an operator decides about a payment. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { newIdempotencyKey } from '../../../app/api/api.ts';
import { type OperatorPayment, refreshPayments } from '../queries.ts';

export interface DecisionProps {
  readonly payment: OperatorPayment;
  readonly onClose: () => void;
}

/** An opened form has one Idempotency-Key, so sending it again after a failure decides once. */
export function useDecision() {
  const [idempotencyKey] = useState(newIdempotencyKey);
  const queries = useQueryClient();
  return { idempotencyKey, refresh: () => refreshPayments(queries) };
}
