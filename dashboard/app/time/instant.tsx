/** An instant on the page, in the reader's time zone; UTC is shown on hover. */
import { useLanguage } from '../i18n/use-texts.ts';
import { formatDayOf, formatInstant, formatRelative, formatUtc } from './format-time.ts';

/** `as` chooses between `22 Nov 2026, 20:05`, `22 Nov 2026` and `3 hours ago`. */
export function Instant({ value, as = 'instant' }: { value: string; as?: 'instant' | 'day' | 'relative' }) {
  const language = useLanguage();
  const format = { instant: formatInstant, day: formatDayOf, relative: formatRelative }[as];
  const title = as === 'instant' ? formatUtc(value) : `${formatInstant(value, language)} · ${formatUtc(value)}`;
  return (
    <time dateTime={value} title={title} className="instant">
      {format(value, language)}
    </time>
  );
}
