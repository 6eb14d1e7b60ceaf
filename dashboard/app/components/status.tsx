/** A state in a word with a dot. The word says it, the colour only helps. */
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { useIsLive } from '../live/live.ts';

export type Tone = 'good' | 'warning' | 'bad' | 'neutral';

export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className="status">
      <span className={`status-dot status-${tone}`} aria-hidden />
      {children}
    </span>
  );
}

/** Says that the page shows events as they happen; nothing while it asks at intervals. */
export function LiveStatus() {
  const common = useTexts(commonTexts);
  return useIsLive() ? <Status tone="good">{common('live')}</Status> : null;
}
