/** What the forms have in common in which an operator decides about a payment. */

import { Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
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

/** What an operator is asked to decide. The focus moves there, where the button was that has asked. */
export function DecisionTitle({ children }: { children: ReactNode }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <Title order={3} size="h5" mb="xs" ref={title} tabIndex={-1} className="decision-title">
      {children}
    </Title>
  );
}
