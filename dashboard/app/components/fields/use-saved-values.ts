/**
 * Keeps a form that is open for long up to date: what others have saved replaces the values that the reader has not changed.
 * Otherwise the next save would write back what the page showed at first.
 */
import type { UseFormReturnType } from '@mantine/form';
import { useEffect } from 'react';

export function useSavedValues<Values extends object>(form: UseFormReturnType<Values>, saved: Values): void {
  const text = JSON.stringify(saved);
  // The form is another object whenever a field changes.
  useEffect(() => {
    const changed = Object.entries(form.getValues()).filter(([name]) => form.isDirty(name));
    form.setInitialValues(saved);
    form.setValues({ ...saved, ...Object.fromEntries(changed) });
    form.resetDirty(saved);
  }, [text]);
}
