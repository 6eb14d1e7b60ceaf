/**
 * An authenticator in software (WebAuthn, level 3): makes passkeys and signs challenges as a browser and a device together do. What it
 * does wrong, it does on request.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { isoCBOR } from '@simplewebauthn/server/helpers';

interface Behaviour {
  /** Where the browser is. */
  readonly origin: string;
  /** Whether the device asks for a PIN or a fingerprint. */
  readonly verifiesUser?: boolean;
  /** Of another site. */
  readonly rpId?: string;
}

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array | string) => Buffer.from(data).toString('base64url');
const present = 0x01;
const verified = 0x04;
const attested = 0x40;

export class Authenticator {
  readonly credentialId = crypto.getRandomValues(new Uint8Array(16));
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  /** How often it has signed. */
  counter = 0;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
  }

  create(options: PublicKeyCredentialCreationOptionsJSON, behaviour: Behaviour): RegistrationResponseJSON {
    const clientDataJSON = this.#clientData('webauthn.create', options.challenge, behaviour);
    const authData = this.#authenticatorData(options.rp.id ?? '', behaviour, true);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ]);
    const attestationObject = base64url(isoCBOR.encode(attestation as never));
    return { ...this.#credential(), response: { clientDataJSON, attestationObject, transports: ['internal'] } };
  }

  get(options: PublicKeyCredentialRequestOptionsJSON, behaviour: Behaviour): AuthenticationResponseJSON {
    this.counter += 1;
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, behaviour);
    const authenticatorData = this.#authenticatorData(options.rpId ?? '', behaviour, false);
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const signature = base64url(sign('sha256', signed, this.#privateKey));
    return {
      ...this.#credential(),
      response: { clientDataJSON, authenticatorData: base64url(authenticatorData), signature },
    };
  }

  #credential() {
    const id = base64url(this.credentialId);
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const;
  }

  #clientData(type: string, challenge: string, { origin }: Behaviour): string {
    return base64url(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #authenticatorData(rpId: string, behaviour: Behaviour, isNew: boolean): Buffer {
    const { verifiesUser = true } = behaviour;
    const flags = present | (verifiesUser ? verified : 0) | (isNew ? attested : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const head = [sha256(behaviour.rpId ?? rpId), Buffer.from([flags]), counter];
    return Buffer.concat(isNew ? [...head, this.#credentialData()] : head);
  }

  /** The AAGUID, the credential's id, and the public key in COSE. */
  #credentialData(): Buffer {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
    const cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ]);
    return Buffer.concat([Buffer.alloc(16), length, this.credentialId, isoCBOR.encode(cose as never)]);
  }
}
