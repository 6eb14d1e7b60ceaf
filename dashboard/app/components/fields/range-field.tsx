/** A range of days: the usual ones with one click, any other from a calendar. */
import 'dayjs/locale/ru';
import { DatePickerInput, type DatePickerPreset, DatesProvider } from '@mantine/dates';
import { useState } from 'react';
import type { Language } from '../../../../shared/languages.ts';
import { listTexts } from '../../i18n/list-texts.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { type DayRange, dayBefore, lastDays, monthOf, today } from '../../time/days.ts';
import { formatDay } from '../../time/format-time.ts';

interface RangeFieldProps {
  readonly value: DayRange | undefined;
  /** Undefined if the range is cleared. */
  readonly onChange: (range: DayRange | undefined) => void;
  /** What is shown without a range. */
  readonly placeholder: string;
}

type Days = [string | null, string | null];

export function RangeField({ value, onChange, placeholder }: RangeFieldProps) {
  const t = useTexts(listTexts);
  const language = useLanguage();
  // While only the first day is chosen, the page keeps its range.
  const [firstDay, setFirstDay] = useState<string>();
  const change = ([from, to]: Days) => {
    setFirstDay(from !== null && to === null ? from : undefined);
    if (from === null) onChange(undefined);
    else if (to !== null) onChange({ from, to });
  };
  const days: Days = firstDay === undefined ? [value?.from ?? null, value?.to ?? null] : [firstDay, null];
  return (
    <DatesProvider settings={{ locale: language, firstDayOfWeek: 1 }}>
      <DatePickerInput
        type="range"
        label={t('period')}
        placeholder={placeholder}
        value={days}
        onChange={change}
        presets={presetsOf(t)}
        maxDate={today()}
        valueFormatter={({ date }) => writeDays(date, language)}
        allowSingleDateInRange
        clearable
        clearButtonProps={{ 'aria-label': t('clear') }}
        highlightToday
        popoverProps={{ withinPortal: true, onClose: () => setFirstDay(undefined) }}
        classNames={{ presetsList: 'range-presets' }}
        className="range-field"
      />
    </DatesProvider>
  );
}

/** One day is written once. */
function writeDays(dates: unknown, language: Language): string {
  const [from, to] = (Array.isArray(dates) ? dates : [dates]).filter((date) => typeof date === 'string');
  if (from === undefined) return '';
  const days = from === to ? [from] : [from, to];
  return days.map((day) => (day === undefined ? '…' : formatDay(day, language))).join(' – ');
}

function presetsOf(
  t: ReturnType<typeof useTexts<NonNullable<(typeof listTexts)['key']>>>,
): DatePickerPreset<'range'>[] {
  const now = today();
  const yesterday = dayBefore(now);
  const month = { ...monthOf(now), to: now };
  const preset = (label: string, { from, to }: DayRange): DatePickerPreset<'range'> => ({ label, value: [from, to] });
  return [
    preset(t('today'), lastDays(1)),
    preset(t('yesterday'), { from: yesterday, to: yesterday }),
    preset(t('last7'), lastDays(7)),
    preset(t('last30'), lastDays(30)),
    preset(t('last90'), lastDays(90)),
    preset(t('thisMonth'), month),
    preset(t('lastMonth'), monthOf(dayBefore(month.from))),
  ];
}
