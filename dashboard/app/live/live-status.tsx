/** Says that the page shows events as they happen; nothing while it asks at intervals. */
import { Status } from '../components/status.tsx';
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { useIsLive } from './live.ts';

export function LiveStatus() {
  const common = useTexts(commonTexts);
  return useIsLive() ? <Status tone="good">{common('live')}</Status> : null;
}
