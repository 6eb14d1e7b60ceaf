/** Tells that something was done, for a few seconds. */
import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import { commonTexts } from '../i18n/common-texts.ts';

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 4_000, role: 'status', closeButtonProps: closeButton() });
}

/** Tells why something was not done. It stays until it is closed. */
export function notifyFailed({ title, text }: { title: string; text: string }): void {
  notifications.show({
    title,
    message: text,
    color: 'red',
    autoClose: false,
    role: 'alert',
    closeButtonProps: closeButton(),
  });
}

const closeButton = () => ({ 'aria-label': i18next.t('close', { ns: commonTexts.namespace }) });
