/**
 * Keeps a form that is open for long up to date: what others have saved replaces its values, unless the reader has begun to change
 * them. Otherwise the next save would write back what the page showed at first.
 */
import type { UseFormReturnType } from '@mantine/form';
import { useEffect } from 'react';

export function useSavedValues<Values>(form: UseFormReturnType<Values>, saved: Values): void {
  const text = JSON.stringify(saved);
  // The form is another object whenever a field changes.
  useEffect(() => {
    if (form.isDirty()) return;
    form.setInitialValues(saved);
    form.setValues(saved);
    form.resetDirty();
  }, [text]);
}
