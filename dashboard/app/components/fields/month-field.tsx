/** A month, as a day of it such as `2026-11-01`, chosen from a calendar in the reader's language. */
import 'dayjs/locale/ru';
import { DatesProvider, MonthPickerInput } from '@mantine/dates';
import { useLanguage } from '../../i18n/use-texts.ts';

interface MonthFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
  /** The last month that can be chosen. */
  readonly maxMonth: string;
}

export function MonthField({ label, value, onChange, maxMonth }: MonthFieldProps) {
  const language = useLanguage();
  return (
    <DatesProvider settings={{ locale: language }}>
      <MonthPickerInput
        label={label}
        value={value}
        onChange={(day) => {
          if (day !== null) onChange(day);
        }}
        maxDate={maxMonth}
        valueFormat="MMMM YYYY"
        popoverProps={{ withinPortal: true }}
      />
    </DatesProvider>
  );
}
