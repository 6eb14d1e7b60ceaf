/** Second factors in requests and responses: codes, passkeys, recovery codes, and the confirmation that changes of them need. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { type TSchema, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { GatewayError } from '../../../shared/errors.ts';
import { passwordMaxLength } from '../../auth/passwords/password-rules.ts';
import type { SecondFactors } from '../../auth/second-factor/factors.ts';
import type { Passkey } from '../../auth/second-factor/passkeys.ts';
import type { Proof } from '../../auth/second-factor/prove.ts';
import { checkedBy } from '../fields/checked-by.ts';
import { customer } from '../fields/example-values.ts';
import { closedObject, count, flag, idOf, integer, label, nullable, text, timestamp } from '../fields/schemas.ts';

const codeMaxLength = 40;
const passkeyNameMaxLength = 100;
const challengeExample = 'Yk3v8mCw0bDq5nT7xLr2sHf9pJg4aZe6uQiVoKtNyXE';

export const codeField = Type.String({
  minLength: 1,
  maxLength: codeMaxLength,
  description: 'A code from the authenticator app, six digits, or a recovery code, which works once.',
  expected: 'a code of six digits, or a recovery code',
  example: '492039',
});

export const challengeField = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The challenge that is answered.',
  expected: 'a challenge',
  example: challengeExample,
});

const bytes = Type.String({ minLength: 1, maxLength: 20_000 });
const credential = {
  id: Type.String({ minLength: 1, maxLength: 2_000 }),
  rawId: bytes,
  type: Type.Literal('public-key'),
};
const assertion = Type.Object({
  ...credential,
  response: Type.Object({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }),
});
const attestation = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 20 })),
  }),
});

const credentialId = '8nKzQ2vXw7mLr4TbYc9pJg';
const clientDataJSON = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoi…';

/** Browsers make it, and add members to it as the standard grows. */
function credentialField<Value>(schema: TSchema, description: string, response: object) {
  const check = TypeCompiler.Compile(schema);
  const example = { id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {}, response };
  const documentation = {
    type: 'object',
    additionalProperties: true,
    description,
    expected: 'what the browser returned, as JSON',
    example,
  };
  return checkedBy<Value>(documentation, (value) => check.Check(value));
}

export const passkeyAnswer = credentialField<AuthenticationResponseJSON>(
  assertion,
  'What `navigator.credentials.get()` returned, as JSON (`toJSON()`).',
  { clientDataJSON, authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ', signature: 'MEUCIQDx…' },
);

const newPasskey = credentialField<RegistrationResponseJSON>(
  attestation,
  'What `navigator.credentials.create()` returned, as JSON (`toJSON()`).',
  { clientDataJSON, attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVi…', transports: ['internal'] },
);

export const secondFactorBody = closedObject({
  challenge: challengeField,
  code: Type.Optional(codeField),
  passkey: Type.Optional(passkeyAnswer),
});

export const passkeyLoginBody = closedObject({
  challenge: Type.Optional({
    ...challengeField,
    description: 'Of a log-in whose password was right. Without it, the passkey replaces the password too.',
  }),
});

export const confirmBody = closedObject({
  current_password: Type.Optional(
    Type.String({
      maxLength: passwordMaxLength,
      description: 'For those without a second factor.',
      expected: 'the current password',
      example: customer.password,
    }),
  ),
  code: Type.Optional({ ...codeField, example: undefined }),
  challenge: Type.Optional({ ...challengeField, description: 'What the passkey has signed.', example: undefined }),
  passkey: Type.Optional(passkeyAnswer),
});

/** Exactly one of them. Throws GatewayError `missing_parameter`. */
export function readProof({ code, passkey }: { code?: string; passkey?: AuthenticationResponseJSON }): Proof {
  if (code !== undefined && passkey === undefined) return { code };
  if (passkey !== undefined && code === undefined) return { passkey };
  throw oneProof();
}

export const oneProof = () =>
  new GatewayError('missing_parameter', 'Send one of `code` and `passkey`.', { param: 'code' });

const options = (description: string) => Type.Object({}, { additionalProperties: true, description });

export const passkeyChallengeSchema = Type.Object(
  {
    challenge: text('What to send with the answer.', challengeExample),
    expiresAt: timestamp('When the challenge ends.'),
    options: options(
      'For `navigator.credentials.get()`, as `PublicKeyCredential.parseRequestOptionsFromJSON()` reads it.',
    ),
  },
  { title: 'PasskeyChallenge' },
);

export const passkeyCreationSchema = Type.Object(
  {
    challenge: text('What to send with the new passkey.', challengeExample),
    expiresAt: timestamp('When the challenge ends.'),
    options: options(
      'For `navigator.credentials.create()`, as `PublicKeyCredential.parseCreationOptionsFromJSON()` reads it.',
    ),
  },
  { title: 'PasskeyCreation' },
);

const passkeyFields = {
  id: integer('The id of the passkey.', 7),
  name: text('What its owner calls it.', 'MacBook'),
  createdAt: timestamp('When it was added.'),
  lastUsedAt: nullable(timestamp('When it was last used; null if never.')),
};

export const passkeySchema = Type.Object(passkeyFields, { title: 'Passkey' });

export const secondFactorsSchema = Type.Object(
  {
    appSince: nullable(timestamp('When the authenticator app was set up; null without one.')),
    passkeys: Type.Array(Type.Object(passkeyFields), { description: 'In the order in which they were added.' }),
    recoveryCodesLeft: count('How many recovery codes have not been used.', 10),
    canAdd: flag(
      'Whether factors can be added. If not, a link that was mailed to the address must be opened by someone who is logged in: request ' +
        'one with `POST /api/auth/resend-verification`, and send the access token with its token to `POST /api/auth/verify-email`.',
      true,
    ),
  },
  { title: 'SecondFactors' },
);

export const newAppSchema = Type.Object(
  {
    secret: text('The secret in base32, to be typed into an authenticator app.', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'),
    url: text(
      'The same as an `otpauth:` address, to be shown as a QR code.',
      'otpauth://totp/Model%20Gateway:anna%40example.com?issuer=Model%20Gateway&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
    ),
  },
  { title: 'NewAuthenticatorApp' },
);

export const appCodeBody = closedObject({
  code: { ...codeField, description: 'A code that the app shows now.', expected: 'a code of six digits' },
});

const recoveryCodes = Type.Array(Type.String({ example: 'K7QH-2M9X-PD4T-WZ8N' }), {
  description: 'Ten codes, each of which replaces the second factor once. They are shown only now.',
});

export const addedFactorSchema = Type.Object({ recoveryCodes: nullable(recoveryCodes) }, { title: 'AddedFactor' });

export const addedPasskeySchema = Type.Object(
  { ...passkeyFields, recoveryCodes: nullable(recoveryCodes) },
  { title: 'AddedPasskey' },
);

export const recoveryCodesSchema = Type.Object({ recoveryCodes }, { title: 'RecoveryCodes' });

const passkeyName = label(passkeyNameMaxLength, 'What to call it, so that its owner knows which one it is.', 'MacBook');

export const newPasskeyBody = closedObject({ challenge: challengeField, name: passkeyName, passkey: newPasskey });

export const passkeyNameBody = closedObject({ name: passkeyName });

export const passkeyParams = Type.Object({
  id: idOf('a passkey', 'The id of the passkey, as the second factors show it.', 7),
});

export function renderPasskey({ id, name, createdAt, lastUsedAt }: Passkey): typeof passkeySchema.static {
  return { id, name, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null };
}

export function renderFactors(factors: SecondFactors, canAdd: boolean): typeof secondFactorsSchema.static {
  const { appSince, passkeys, recoveryCodesLeft } = factors;
  const ofApp = { appSince: appSince?.toISOString() ?? null };
  return { ...ofApp, passkeys: passkeys.map(renderPasskey), recoveryCodesLeft, canAdd };
}
