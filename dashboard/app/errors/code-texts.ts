/**
 * What each code of the API says to a person: what happened, and what helps. A key is a code, or a code with the
 * parameter that is wrong, without the path to it: `invalid_parameter_limits_allowedModels`.
 */
import { defineTexts } from '../i18n/define-texts.ts';

export const codeTexts = defineTexts('error-codes', {
  en: {
    invalid_credentials: 'Wrong email or password.',
    wrong_password: 'This is not your current password',
    email_taken: 'There is already an account with this email. Sign in, or reset its password.',
    email_not_verified: 'Confirm your own email first, in your profile',
    registration_closed: 'Sign-up is closed.',
    invalid_link: 'This link has expired or was already used. Request a new one.',
    account_blocked: 'This account is blocked. Contact support.',
    cross_origin:
      'This page was opened at an address that the gateway does not trust. Open its own address, then try again.',
    role_required: 'Your role in this account does not include this.',
    access_denied: 'You are not allowed to do this. Your own account can only be changed in your profile.',
    last_operator: 'This is the last operator. Make another user an operator first.',
    balance_left: 'The account has a balance. Deleting the account forfeits it, so confirm the exact amount.',

    invalid_parameter: 'A value that you entered is not accepted. Check it, then try again.',
    invalid_parameter_name: 'This name is empty or too long. It can have up to {{keyNameMax}} characters.',
    invalid_parameter_displayName: 'This name is empty or too long. It can have up to {{displayNameMax}} characters.',
    invalid_parameter_email: 'This is not an email address',
    invalid_parameter_password: 'This password is too easy to guess. Choose another one',
    invalid_parameter_new_password: 'This password is too easy to guess. Choose another one',
    invalid_parameter_current_password: 'This is not your current password',
    invalid_parameter_token: 'This link is incomplete. Open it from the email again, or request a new one.',
    invalid_parameter_expires_at: 'The last day of a key cannot be in the past. Choose a later one.',
    invalid_parameter_limits_allowedModels: 'One of the chosen models does not exist. Remove it from the list.',
    invalid_parameter_month: 'This month is not over yet. Choose an earlier one.',
    invalid_parameter_from: 'This period is not accepted. Check its first and last day.',
    invalid_parameter_to: 'This period is not accepted. Its last day cannot be in the future or before the first.',
    invalid_parameter_amount: 'This amount is outside the limits, or has too many decimals.',
    invalid_parameter_belowUsd:
      'This must be above $0 and, together with the charge, below {{walletUsd, currency(currency: USD; maximumFractionDigits: 0)}}.',
    invalid_parameter_dayLimit: 'The daily limit cannot be less than one charge.',
    invalid_parameter_monthLimit: 'The monthly limit cannot be less than the daily one.',
    invalid_parameter_method: 'This payment method is not available now. Reload the page, then choose another one.',
    invalid_parameter_currency: 'This payment method does not accept this currency. Choose another one.',
    invalid_parameter_timeZone: 'The time zone of your browser is not supported. Change it in your system settings.',
    invalid_parameter_cursor: 'The address of this page is invalid. Open the page from the menu.',
    invalid_parameter_offset: 'The address of this page is invalid. Open the page from the menu.',
    invalid_parameter_id: 'The address of this page is invalid. Open the page from the menu.',
    invalid_parameter_requestId: 'The address of this page is invalid. Open the request from the list.',
    invalid_parameter_paidAt: 'The day of the payment cannot be in the future.',
    invalid_parameter_effectiveFrom: 'A catalogue cannot take effect in the past. Choose a later time.',
    missing_parameter: 'A required value is missing. Fill in the form, then try again.',

    not_found: 'It does not exist, or has been deleted.',
    not_found_requestId:
      'Nothing was charged for this request, or its charge is not booked yet. Try again in a moment.',
    not_found_method: 'This payment method is not available now. Reload the page, then choose another one.',
    model_not_found: 'This model does not exist.',
    body_too_large: 'This is too large to send. Choose a smaller file, or shorten the text.',
    request_timeout: 'It took too long to send. Check your network, then try again.',
    idempotency_in_progress: 'The same request is still being processed. Wait a moment, then try again.',
    idempotency_key_reused: 'This was already sent with other values. Reload the page to see whether it was done.',

    too_many_keys: 'No more keys can be created. Delete one that you no longer use.',
    too_many_addresses: 'The list is full. Remove an address first',
    address_exists: 'This address already gets alerts',

    cards_stopped:
      'A card payment was disputed with the bank, so cards are off. Pay by bank transfer, or contact support.',
    too_many_payments: 'Too many orders are waiting to be paid. Pay one of them, or wait until one expires.',
    payment_provider_unavailable:
      'The payment service cannot be reached. Try again: you never pay twice for one order.',
    wallet_limit:
      'The balance would exceed its limit of {{walletUsd, currency(currency: USD; maximumFractionDigits: 0)}}. Choose a smaller amount.',
    auto_top_up_consent: 'The text that you agree to has changed. Reload the page, read the text and agree again.',
    auto_top_up_off: 'Automatic top-up is off, so the card cannot be saved. Switch it on first.',
    company_details_missing: 'Company details are missing. Fill them in on the page “Company”.',
    documents_unavailable: 'This gateway issues no accounting documents.',
    nothing_to_document: 'None of the money that you paid was used in this period, so there is nothing to document.',

    payment_state: 'The payment is in a state that does not allow this. Reload the page to see it.',
    payment_reference_used: 'This bank transfer already confirms another payment.',
    refund_too_large: 'This is more than can be refunded. Enter a smaller amount.',
    invalid_bank_statement: 'The file cannot be read as a bank statement. Nothing was imported.',
    invalid_catalogue: 'The catalogue has errors, so nothing was changed.',
    catalogue_changed: 'The catalogue has changed since. Check the difference again before you apply it.',
    document_corrected: 'The document has already been corrected. Correct the newer one.',
    mail_not_resendable: 'Only a failed email can be sent again, and only while its link works.',

    wallet_unavailable:
      'Balances are currently unavailable. A change to a key is saved and takes effect automatically, usually within minutes.',
    overloaded: 'The gateway is busy. Try again in a few seconds.',
  },
  ru: {
    invalid_credentials: 'Неверная почта или пароль.',
    wrong_password: 'Текущий пароль неверен',
    email_taken: 'Аккаунт с этой почтой уже есть. Войдите или сбросьте пароль.',
    email_not_verified: 'Сначала подтвердите свою почту в профиле',
    registration_closed: 'Регистрация закрыта.',
    invalid_link: 'Ссылка устарела или уже использована. Запросите новую.',
    account_blocked: 'Этот аккаунт заблокирован. Обратитесь в поддержку.',
    cross_origin:
      'Эта страница открыта по адресу, которому шлюз не доверяет. Откройте его собственный адрес и повторите.',
    role_required: 'Ваша роль в этом аккаунте этого не позволяет.',
    access_denied: 'У вас нет прав на это действие. Свой аккаунт можно изменить только в профиле.',
    last_operator: 'Это последний оператор. Сначала назначьте оператором кого-то ещё.',
    balance_left: 'На аккаунте есть баланс. При удалении он теряется, поэтому подтвердите точную сумму.',

    invalid_parameter: 'Что-то введено неверно. Проверьте данные и повторите.',
    invalid_parameter_name: 'Название пустое или слишком длинное. Наибольшее число символов: {{keyNameMax}}.',
    invalid_parameter_displayName: 'Имя пустое или слишком длинное. Наибольшее число символов: {{displayNameMax}}.',
    invalid_parameter_email: 'Это не похоже на адрес почты',
    invalid_parameter_password: 'Этот пароль слишком легко подобрать. Выберите другой',
    invalid_parameter_new_password: 'Этот пароль слишком легко подобрать. Выберите другой',
    invalid_parameter_current_password: 'Текущий пароль неверен',
    invalid_parameter_token: 'Ссылка неполная. Откройте её из письма ещё раз или запросите новую.',
    invalid_parameter_expires_at: 'Последний день ключа не может быть в прошлом. Выберите более поздний.',
    invalid_parameter_limits_allowedModels: 'Одной из выбранных моделей не существует. Уберите её из списка.',
    invalid_parameter_month: 'Этот месяц ещё не закончился. Выберите более ранний.',
    invalid_parameter_from: 'Такой период не подходит. Проверьте первый и последний день.',
    invalid_parameter_to: 'Такой период не подходит: последний день не может быть в будущем или раньше первого.',
    invalid_parameter_amount: 'Сумма выходит за пределы допустимой или в ней слишком много знаков после запятой.',
    invalid_parameter_belowUsd:
      'Порог должен быть больше 0, а вместе со списанием — меньше {{walletUsd, currency(currency: USD; maximumFractionDigits: 0)}}.',
    invalid_parameter_dayLimit: 'Дневной лимит не может быть меньше одного списания.',
    invalid_parameter_monthLimit: 'Месячный лимит не может быть меньше дневного.',
    invalid_parameter_method: 'Этот способ оплаты сейчас недоступен. Перезагрузите страницу и выберите другой.',
    invalid_parameter_currency: 'Этот способ оплаты не принимает такую валюту. Выберите другую.',
    invalid_parameter_timeZone: 'Часовой пояс вашего браузера здесь неизвестен. Смените его в настройках системы.',
    invalid_parameter_cursor: 'Адрес страницы повреждён. Откройте её из меню.',
    invalid_parameter_offset: 'Адрес страницы повреждён. Откройте её из меню.',
    invalid_parameter_id: 'Адрес страницы повреждён. Откройте её из меню.',
    invalid_parameter_requestId: 'Адрес страницы повреждён. Откройте запрос из списка.',
    invalid_parameter_paidAt: 'День оплаты не может быть в будущем.',
    invalid_parameter_effectiveFrom: 'Каталог не может вступить в силу в прошлом. Выберите более позднее время.',
    missing_parameter: 'Не хватает данных. Заполните форму и повторите.',

    not_found: 'Этого нет или уже удалено.',
    not_found_requestId: 'За этот запрос ничего не списано, или списание ещё не учтено. Повторите чуть позже.',
    not_found_method: 'Этот способ оплаты сейчас недоступен. Перезагрузите страницу и выберите другой.',
    model_not_found: 'Такой модели нет.',
    body_too_large: 'Слишком большой объём данных. Выберите файл поменьше или сократите текст.',
    request_timeout: 'Отправка заняла слишком много времени. Проверьте сеть и повторите.',
    idempotency_in_progress: 'Такой же запрос ещё выполняется. Подождите немного и повторите.',
    idempotency_key_reused: 'Это уже отправлено с другими данными. Перезагрузите страницу и проверьте, что получилось.',

    too_many_keys: 'Новые ключи создать нельзя. Удалите ключ, которым больше не пользуетесь.',
    too_many_addresses: 'Список полон. Сначала удалите один из адресов',
    address_exists: 'Уведомления уже приходят на этот адрес',

    cards_stopped:
      'Платёж картой оспорен в банке, поэтому карты отключены. Оплатите по счёту или обратитесь в поддержку.',
    too_many_payments: 'Слишком много неоплаченных заказов. Оплатите один из них или дождитесь, когда один истечёт.',
    payment_provider_unavailable:
      'Платёжный сервис недоступен. Повторите попытку: дважды за один заказ вы не заплатите.',
    wallet_limit:
      'Баланс превысит предел в {{walletUsd, currency(currency: USD; maximumFractionDigits: 0)}}. Выберите сумму поменьше.',
    auto_top_up_consent: 'Текст согласия изменился. Перезагрузите страницу, прочитайте его и согласитесь снова.',
    auto_top_up_off: 'Автопополнение выключено, поэтому сохранить карту нельзя. Сначала включите его.',
    company_details_missing: 'Не хватает реквизитов. Заполните их на странице «Реквизиты».',
    documents_unavailable: 'Этот шлюз не выпускает бухгалтерских документов.',
    nothing_to_document: 'За этот период оплаченные деньги не расходовались, поэтому оформлять нечего.',

    payment_state: 'Состояние платежа этого не допускает. Перезагрузите страницу, чтобы его увидеть.',
    payment_reference_used: 'Этим банковским переводом уже подтверждён другой платёж.',
    refund_too_large: 'Столько вернуть нельзя. Введите сумму поменьше.',
    invalid_bank_statement: 'Файл не удалось прочитать как банковскую выписку. Ничего не загружено.',
    invalid_catalogue: 'В каталоге есть ошибки, поэтому ничего не изменено.',
    catalogue_changed: 'Каталог тем временем изменился. Проверьте различия ещё раз, прежде чем применять.',
    document_corrected: 'Документ уже исправлен. Исправляйте более новый.',
    mail_not_resendable: 'Повторно отправить можно только неотправленное письмо, пока действует ссылка в нём.',

    wallet_unavailable:
      'Балансы сейчас недоступны. Изменение ключа сохранено и вступит в силу само, обычно за несколько минут.',
    overloaded: 'Шлюз перегружен. Повторите через несколько секунд.',
  },
});
