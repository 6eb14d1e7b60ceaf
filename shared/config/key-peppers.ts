/** KEY_PEPPER, the secrets that API keys are hashed with, for every program. */
import type { EnvironmentReader, Secrets } from './environment.ts';

export const secretMinLength = 32;

export function readKeyPeppers(environment: EnvironmentReader): Secrets {
  return environment.secrets('KEY_PEPPER', {
    minLength: secretMinLength,
    meaning: 'the secret that API keys are hashed with',
  });
}

/** New keys are hashed with it. */
export function pepperInUse({ keyPeppers: [pepper] }: { readonly keyPeppers: readonly string[] }): string {
  if (pepper === undefined) throw new Error('KEY_PEPPER was not read');
  return pepper;
}
