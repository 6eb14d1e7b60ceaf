/** Signs out, and says so if the server could not be reached. */
import i18next from 'i18next';
import { notifyFailed } from '../components/notify.ts';
import { shellTexts } from '../shell/shell-texts.ts';
import { session } from './session.ts';

export async function signOut(): Promise<void> {
  if (await session.signOut()) return;
  const text = (key: NonNullable<(typeof shellTexts)['key']>) => i18next.t(key, { ns: shellTexts.namespace });
  notifyFailed({ title: text('signedOutHereTitle'), text: text('signedOutHereText') });
}
