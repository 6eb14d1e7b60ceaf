/** Someone tried to sign up with an address that has an account, or to move another account to it. */
import type { MailData } from '../../mail.ts';
import { instantText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

const words = {
  en: {
    subject: 'Your email address already has an account',
    preheader: 'Someone tried to use it. Nothing has changed.',
    heading: 'Your email address already has an account',
    sign_up: 'Someone tried to sign up with your email address. It already has an account, so nothing has changed.',
    change_address:
      'Someone tried to make your email address the address of another account. It already has an account, so nothing has changed.',
    when: 'Tried',
    note: 'If it was you, sign in, or choose “Forgot password?” on the sign-in page. If it wasn’t, you don’t have to do anything. You get at most one such email a day.',
    button: 'Sign in',
    why: 'You received this email because you have an account with this address.',
  },
  ru: {
    subject: 'У вашего адреса уже есть аккаунт',
    preheader: 'Кто-то попытался использовать ваш адрес. Ничего не изменилось.',
    heading: 'У вашего адреса уже есть аккаунт',
    sign_up:
      'Кто-то попытался зарегистрироваться с вашим адресом электронной почты. У него уже есть аккаунт, поэтому ничего не изменилось.',
    change_address:
      'Кто-то попытался сделать ваш адрес электронной почты адресом другого аккаунта. У него уже есть аккаунт, поэтому ничего не изменилось.',
    when: 'Попытка',
    note: 'Если это были вы, войдите или нажмите «Забыли пароль?» на странице входа. Если нет, делать ничего не нужно. Такое письмо приходит не чаще раза в день.',
    button: 'Войти',
    why: 'Вы получили это письмо, потому что у вас есть аккаунт с этим адресом.',
  },
};

export function addressInUseMail(
  data: MailData['address_in_use'],
  { language, publicUrl }: TemplateContext,
): MailMessage {
  const say = words[language];
  return {
    subject: say.subject,
    preheader: say.preheader,
    heading: say.heading,
    blocks: [
      { kind: 'paragraph', text: say[data.attempt] },
      { kind: 'facts', facts: [[say.when, instantText(data.attemptedAt, language)]] },
      { kind: 'button', label: say.button, url: `${publicUrl}/login` },
      { kind: 'note', text: say.note },
    ],
    why: say.why,
    isOptional: false,
  };
}
