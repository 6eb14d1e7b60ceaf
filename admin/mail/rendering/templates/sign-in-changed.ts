/** Something about the second factor has changed: the user should know, in case it was someone else. */
import type { MailData } from '../../mail.ts';
import { instantText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

type Change = MailData['sign_in_changed']['change'];

interface Words {
  readonly subjects: Readonly<Record<Change, string>>;
  readonly texts: Readonly<Record<Change, string>>;
  readonly preheader: string;
  readonly when: string;
  readonly codes: string;
  readonly note: string;
  readonly noteOfReset: string;
  readonly button: string;
  readonly why: string;
}

const words: Record<TemplateContext['language'], Words> = {
  en: {
    subjects: {
      app_added: 'Authenticator app added',
      app_removed: 'Authenticator app removed',
      passkey_added: 'Passkey added',
      passkey_removed: 'Passkey removed',
      codes_replaced: 'New recovery codes',
      code_used: 'A recovery code was used',
      reset: 'Two-factor authentication was reset',
    },
    texts: {
      app_added: 'You can now confirm your sign-ins with a code from your authenticator app.',
      app_removed: 'Codes from your authenticator app are no longer accepted.',
      passkey_added: 'You can now sign in with your new passkey.',
      passkey_removed: 'One of your passkeys is no longer accepted.',
      codes_replaced: 'You have ten new recovery codes. Earlier ones no longer work.',
      code_used: 'Someone used one of your recovery codes to confirm who they are. It won’t work again.',
      reset:
        'We removed your authenticator app, passkeys and recovery codes, and signed you out everywhere. Sign in with your password, then set up two-factor authentication again.',
    },
    preheader: 'If this wasn’t you, change your password now.',
    when: 'When',
    codes: 'Recovery codes left',
    note: 'If this wasn’t you, change your password now, sign out of other sessions on your profile page, and check your sign-in methods there.',
    noteOfReset: 'If you didn’t ask for this, reply to this email, and change your password.',
    button: 'Open the dashboard',
    why: 'You received this email because the way you sign in has changed.',
  },
  ru: {
    subjects: {
      app_added: 'Добавлено приложение для кодов',
      app_removed: 'Приложение для кодов удалено',
      passkey_added: 'Добавлен ключ доступа',
      passkey_removed: 'Ключ доступа удалён',
      codes_replaced: 'Новые резервные коды',
      code_used: 'Использован резервный код',
      reset: 'Двухфакторная защита сброшена',
    },
    texts: {
      app_added: 'Теперь вход можно подтверждать кодом из приложения.',
      app_removed: 'Коды из приложения больше не принимаются.',
      passkey_added: 'Теперь можно входить с новым ключом доступа.',
      passkey_removed: 'Один из ваших ключей доступа больше не принимается.',
      codes_replaced: 'У вас десять новых резервных кодов. Прежние больше не работают.',
      code_used: 'Вход подтвердили одним из ваших резервных кодов. Ещё раз он не сработает.',
      reset:
        'Мы удалили ваше приложение для кодов, ключи доступа и резервные коды и завершили все сеансы. Войдите с паролем и снова настройте двухфакторную защиту.',
    },
    preheader: 'Если это были не вы, сразу смените пароль.',
    when: 'Когда',
    codes: 'Осталось резервных кодов',
    note: 'Если это были не вы, сразу смените пароль, завершите остальные сеансы в профиле и проверьте там способы входа.',
    noteOfReset: 'Если вы об этом не просили, ответьте на это письмо и смените пароль.',
    button: 'Открыть личный кабинет',
    why: 'Вы получили это письмо, потому что изменился способ входа в ваш аккаунт.',
  },
};

export function signInChangedMail(
  { change, changedAt, recoveryCodesLeft }: MailData['sign_in_changed'],
  { language, publicUrl }: TemplateContext,
): MailMessage {
  const say = words[language];
  const facts: (readonly [string, string])[] = [[say.when, instantText(changedAt, language)]];
  if (change === 'code_used') facts.push([say.codes, String(recoveryCodesLeft)]);
  return {
    subject: say.subjects[change],
    preheader: say.preheader,
    heading: say.subjects[change],
    blocks: [
      { kind: 'paragraph', text: say.texts[change] },
      { kind: 'facts', facts },
      { kind: 'button', label: say.button, url: publicUrl },
      { kind: 'note', text: change === 'reset' ? say.noteOfReset : say.note },
    ],
    why: say.why,
    isOptional: false,
  };
}
