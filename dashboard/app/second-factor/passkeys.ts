/** Passkeys of this browser and its devices (WebAuthn). The package loads when one is made or used. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { ApiError } from '../api/api-error.ts';

/** What the API takes of it, without its type: browsers add members as the standard grows. */
type Answer = Record<string, unknown>;

/** The browser asked, and got no passkey: the user has cancelled, or has none here. Browsers do not say which. */
export class PasskeyNotUsed extends Error {
  override readonly name = 'PasskeyNotUsed';
}

/** False without WebAuthn: in old browsers, and on plain HTTP. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in globalThis;

/** `options` are the API's. Throws PasskeyNotUsed, and ApiError `passkey_exists` if this device has one of the user's already. */
export async function createPasskey(options: object): Promise<Answer> {
  const { startRegistration, WebAuthnError } = await import('@simplewebauthn/browser');
  try {
    return { ...(await startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })) };
  } catch (cause) {
    if (cause instanceof WebAuthnError && cause.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') {
      throw new ApiError({ status: 409, code: 'passkey_exists', message: cause.message }, { cause });
    }
    throw new PasskeyNotUsed('No passkey was created.', { cause });
  }
}

/** `options` are the API's. Throws PasskeyNotUsed. */
export async function signWithPasskey(options: object): Promise<Answer> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  try {
    return { ...(await startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON })) };
  } catch (cause) {
    throw new PasskeyNotUsed('No passkey was used.', { cause });
  }
}
