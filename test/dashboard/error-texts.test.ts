/** The text that a person sees for each error that a page can meet, in both languages. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import i18next from 'i18next';
import { ApiError } from '../../dashboard/app/api/api-error.ts';
import { codeTexts } from '../../dashboard/app/errors/code-texts.ts';
import { describeError, type ErrorText } from '../../dashboard/app/errors/describe-error.ts';
import { errorTexts } from '../../dashboard/app/errors/error-texts.ts';
import { describeGatewayError } from '../../dashboard/playground/response/describe-gateway-error.ts';
import { gatewayErrorTexts } from '../../dashboard/playground/response/gateway-error-texts.ts';
import { readAreas } from '../../dashboard/read-texts.ts';
import { buildInferenceDocument } from '../../proxy/api/document/document.ts';
import { type ErrorCode, errorRegistry } from '../../shared/errors.ts';
import document from '../admin/api/docs/openapi.snapshot.json';
import { type OpenApiDocument, operationsOf } from '../harness/openapi/operations-of.ts';

const languages = ['en', 'ru'] as const;
type Language = (typeof languages)[number];

/** Called without the client that has the types of the paths: downloads, and the session. */
const otherCalls = [
  'GET /api/account/export',
  'GET /api/events',
  'POST /api/auth/refresh',
  'POST /api/auth/logout',
] as const;

/** Codes that a documented operation has, but no page can meet. */
const neverMet: readonly string[] = [
  // Bodies are written by the client, from forms that are far smaller than these limits.
  'invalid_json',
  'body_too_complex',
  // Pages send access tokens to the account API, and the playground's own key to the gateway, for any model.
  'wrong_key_type',
  'model_not_allowed',
  // Only of the event stream, which reconnects and shows nothing.
  'shutting_down',
  // The playground sends no Idempotency-Key.
  'idempotency_answer_gone',
];

const areas = await readAreas();
const textsOf = (language: Language) => Object.fromEntries(areas.map((area) => [area.namespace, area[language]]));
await i18next.init({
  lng: 'en',
  resources: { en: textsOf('en'), ru: textsOf('ru') },
  interpolation: { escapeValue: false },
  initAsync: false,
});

const translate = (language: Language, { namespace }: { namespace: string }) => {
  const t = i18next.getFixedT(language, namespace);
  return (key: string, values = {}) => t(key, values);
};
const told = (error: unknown, language: Language): ErrorText =>
  describeError(error, { general: translate(language, errorTexts), ofCode: translate(language, codeTexts) });

const message = 'As a program reads it.';
const errorOf = (code: string, details: { message?: string; param?: string } = {}) =>
  new ApiError({ status: errorRegistry[code as ErrorCode].status, code, message, ...details });

/** Russian has no English words except names, and English no Russian ones. */
function expectInItsLanguage(texts: readonly string[], language: Language): void {
  for (const text of texts) {
    if (language === 'ru') expect(text).toMatch(/[а-яё]{3}/i);
    else expect(text).not.toMatch(/[а-яё]/i);
    expect(text).not.toContain(message);
  }
}

describe('the account API', async () => {
  const called = new Set<string>(otherCalls);
  const folder = join(import.meta.dir, '../../dashboard');
  for await (const path of new Glob('**/*.{ts,tsx}').scan({ cwd: folder, absolute: true })) {
    if (/\/(?:dist|generated)\//.test(path)) continue;
    const calls = (await Bun.file(path).text()).matchAll(/\b(?:api|publicApi)\.([A-Z]+)\(\s*'(\/api\/[^']+)'/g);
    for (const [, method = '', route = ''] of calls) called.add(`${method} ${route}`);
  }
  const api = document as unknown as OpenApiDocument;
  const codes = codesOf(api, called);

  test('is called only for documented operations, so that none is missing here', () => {
    const documented = operationsOf(api).map(({ route }) => route);
    expect([...called].filter((route) => !documented.includes(route))).toEqual([]);
    expect(called.size).toBeGreaterThan(60);
    expect(codes.size).toBeGreaterThan(40);
  });

  test.each([...codes].filter((code) => !neverMet.includes(code)))(
    'the error %s has a text of its own or of its status',
    (code) => {
      const unknown = languages.map((language) => translate(language, errorTexts)('refusedText'));
      for (const language of languages) {
        const { title, text, detail } = told(errorOf(code), language);
        expectInItsLanguage([title, text], language);
        expect(unknown).not.toContain(text);
        // The API's message, if any, is shown below the text.
        expect([undefined, message]).toContain(detail);
      }
    },
  );
});

describe('the gateway, in the playground', () => {
  const inference = buildInferenceDocument() as OpenApiDocument;
  const codes = [...codesOf(inference, new Set(['POST /v1/chat/completions']))];

  test.each(codes.filter((code) => !neverMet.includes(code)))('the error %s has a text', (code) => {
    for (const language of languages) {
      const { title, text } = describeGatewayError(errorOf(code), {
        t: translate(language, gatewayErrorTexts),
        describe: (error) => told(error, language),
        url: 'https://gateway.example',
      });
      expectInItsLanguage([title, text], language);
      expect(text).not.toBe(translate(language, errorTexts)('refusedText'));
    }
  });

  test('a refusal by a provider shows its message, because only that names the reason', () => {
    const error = errorOf('upstream_rejected_request', { message: 'top_k: unknown field' });
    const words = { t: translate('ru', gatewayErrorTexts), describe: () => told(error, 'ru'), url: '' };
    expect(describeGatewayError(error, words)).toMatchObject({
      title: 'Запрос отклонён',
      detail: 'top_k: unknown field',
    });
  });
});

test('the most specific text is about the parameter, and the path to it does not matter', () => {
  const text = (param: string) => told(errorOf('invalid_parameter', { param }), 'ru');
  expect(text('name')).toMatchObject({ text: expect.stringContaining('Название'), detail: undefined });
  expect(text('limits.allowedModels[3]').text).toStartWith('Одной из выбранных моделей не существует.');
  expect(text('month')).toMatchObject({ text: expect.stringContaining('месяц'), detail: undefined });
});

test.each([
  ['too_many_keys', 'An account can have at most 1000 keys. Delete one first.'],
  ['invalid_bank_statement', "The bank statement cannot be read: line 12: 'Сумма' is missing."],
  ['refund_too_large', 'At most 100.00 RUB can be refunded.'],
  ['not_found', 'Bank transfers are not configured: SELLER_FILE is not set.'],
  ['invalid_parameter', "Invalid value for 'avatarUrl': expected an https address."],
])('the facts that only the message of %s has are shown below the text', (code, fact) => {
  expect(told(errorOf(code, { message: fact }), 'ru').detail).toBe(fact);
});

test('a code that is not known yet shows its message below the text, except for a failure', () => {
  const later = { code: 'a_code_of_tomorrow', message };
  expect(told(new ApiError({ status: 409, ...later }), 'ru')).toMatchObject({
    title: 'Не получилось',
    detail: message,
  });
  expect(told(new ApiError({ status: 500, ...later }), 'ru').detail).toBeUndefined();
  expect(told(new Error(message), 'ru')).toMatchObject({ title: 'Ошибка на нашей стороне', detail: undefined });
});

test('every text of a code belongs to a code of the registry', () => {
  const codes = Object.keys(errorRegistry);
  const strangers = Object.keys(textsOf('en')[codeTexts.namespace] ?? {}).filter(
    (key) => !codes.includes(key) && !codes.some((code) => key.startsWith(`${code}_`)),
  );
  expect(strangers).toEqual([]);
});

function codesOf(api: OpenApiDocument, routes: ReadonlySet<string>): Set<string> {
  const responses = operationsOf(api)
    .filter(({ route }) => routes.has(route))
    .flatMap(({ responses }) => Object.entries(responses).filter(([status]) => Number(status) >= 400));
  return new Set(
    responses.flatMap(([, response]) => Object.keys(response.content?.['application/json']?.examples ?? {})),
  );
}

test('the limits that texts name are those of the schema, in the format of the language', () => {
  const named = (code: string, param: string, language: Language) => told(errorOf(code, { param }), language).text;
  expect(named('wallet_limit', '', 'en')).toContain('$9,000,000.');
  expect(named('wallet_limit', '', 'ru').replaceAll(/\s/g, ' ')).toContain('9 000 000 $.');
  expect(named('invalid_parameter', 'name', 'en')).toContain('up to 100 characters');
  expect(named('invalid_parameter', 'name', 'ru')).toContain('символов: 100');
  for (const language of languages) {
    const texts = Object.values(textsOf(language)[codeTexts.namespace] ?? {});
    expect(texts.length).toBeGreaterThan(50);
    for (const text of texts) expect(text.replaceAll(/\{\{.*?\}\}/g, '')).not.toMatch(/\d{3}/);
  }
});
