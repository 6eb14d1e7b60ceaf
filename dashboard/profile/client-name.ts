/** What a session's client is, from its `User-Agent`: `Firefox · Linux`, `curl`. */

/** The first that is found: many browsers also name those that they descend from. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/YaBrowser\//, 'Yandex Browser'],
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/(?:Firefox|FxiOS)\//, 'Firefox'],
  [/(?:HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/Version\/\S+ .*Safari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];
const nameMaxLength = 40;

/** Undefined if the client does not say. */
export function clientName(userAgent: string | null): string | undefined {
  if (userAgent === null || userAgent.trim() === '') return undefined;
  const { browser, system } = clientParts(userAgent);
  if (browser === undefined) return userAgent.split(/[/\s]/, 1)[0]?.slice(0, nameMaxLength);
  return [browser, system].filter(Boolean).join(' · ');
}

/** Of a browser; undefined where it is another client. */
export function clientParts(userAgent: string): { browser: string | undefined; system: string | undefined } {
  const find = (names: typeof browsers) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  return { browser: find(browsers), system: find(systems) };
}
