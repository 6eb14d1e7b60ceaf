/** A day or an hour of the chart in words. */
import type { Language } from '../../shared/languages.ts';
import { formatDay, formatInstant, formatTime } from '../app/time/format-time.ts';
import type { Slot } from './usage-rows.ts';

/** `22 Nov 2026`, `22 Nov 2026, 20:00`; short `22 Nov`, `20:00`. */
export function formatSlot(slot: string, kind: Slot, language: Language, length: 'long' | 'short' = 'long'): string {
  if (length === 'long') return kind === 'day' ? formatDay(slot, language) : formatInstant(slot, language);
  const options: Intl.DateTimeFormatOptions =
    kind === 'day' ? { day: 'numeric', month: 'short', timeZone: 'UTC' } : { hour: '2-digit', minute: '2-digit' };
  return formatTime(new Date(slot), language, options);
}
