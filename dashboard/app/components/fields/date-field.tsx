/** A day, such as `2026-11-22`, chosen from a calendar in the reader's language. */
import 'dayjs/locale/ru';
import { DatePickerInput, DatesProvider } from '@mantine/dates';
import type { ReactNode } from 'react';
import { useLanguage } from '../../i18n/use-texts.ts';

interface DateFieldProps {
  readonly label: string;
  readonly value?: string | null;
  readonly onChange?: (day: string | null) => void;
  readonly error?: ReactNode;
  /** The first day that can be chosen. */
  readonly minDate?: string;
  readonly maxDate?: string;
}

export function DateField({ minDate, maxDate, ...props }: DateFieldProps) {
  const language = useLanguage();
  return (
    <DatesProvider settings={{ locale: language, firstDayOfWeek: 1 }}>
      <DatePickerInput
        valueFormat="D MMM YYYY"
        highlightToday
        popoverProps={{ withinPortal: true }}
        {...(minDate !== undefined && { minDate })}
        {...(maxDate !== undefined && { maxDate })}
        {...props}
      />
    </DatesProvider>
  );
}
