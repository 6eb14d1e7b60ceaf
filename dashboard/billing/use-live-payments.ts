/** Refreshes payments when the sum of all credits changes, which live events report. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { useLiveEvent } from '../app/live/live.ts';

export function useLivePayments(): void {
  const queries = useQueryClient();
  const last = useRef<unknown>(undefined);
  const handle = useCallback(
    (event: unknown) => {
      const { credited } = Object(event);
      // Charges change the balance as well, many times a second.
      if (credited === last.current) return;
      last.current = credited;
      void queries.invalidateQueries({ queryKey: ['payments'] });
    },
    [queries],
  );
  useLiveEvent('balance', handle);
}
