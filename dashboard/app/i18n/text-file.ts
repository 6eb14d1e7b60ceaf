/** The texts of all areas in one language: a file of the build. */
import type { Language } from '../../../shared/languages.ts';
import { ApiError, errorOfResponse, networkError } from '../api/api-error.ts';

/** By the areas' namespaces. */
export type LanguageTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The name of each language's file, which the build writes here as JSON. */
declare const TEXT_FILES: string;

const timeoutMs = 30_000;

declare global {
  /** What the first script of the page has requested. */
  var earlyTexts: Promise<LanguageTexts | undefined> | undefined;
}

/** Before the dashboard's own script is here. */
export function requestTextsEarly(language: Language): void {
  globalThis.earlyTexts = fetchTexts(language);
  // The script that takes them handles a failure.
  globalThis.earlyTexts.catch(() => {});
}

/** Once. */
export function takeEarlyTexts(): Promise<LanguageTexts | undefined> | undefined {
  const early = globalThis.earlyTexts;
  globalThis.earlyTexts = undefined;
  return early;
}

/** Undefined after an upgrade of the gateway, which gives the file another name. Rejects with an ApiError. */
export async function fetchTexts(language: Language): Promise<LanguageTexts | undefined> {
  const files: Record<Language, string> = JSON.parse(TEXT_FILES);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`/assets/${files[language]}`, { signal });
    if (response.status === 404) return undefined;
    if (!response.ok) throw errorOfResponse(response, undefined);
    return await response.json();
  } catch (error) {
    throw error instanceof ApiError ? error : networkError(error);
  }
}
