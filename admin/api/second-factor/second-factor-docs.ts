/** The documentation of second factors. */

import { wrongCredentials } from '../../auth/log-in.ts';
import { wrongPassword } from '../../auth/passwords/confirm-password.ts';
import { tooManyPasswords } from '../../auth/passwords/password-hasher.ts';
import { authenticatorExists, authenticatorNotBegun } from '../../auth/second-factor/authenticator-app.ts';
import {
  challengeExpired,
  tooManyCodes,
  wrongCodesDayMax,
  wrongCodesMax,
} from '../../auth/second-factor/challenges.ts';
import { confirmationRequired, confirmedMinutes, factorNeeded } from '../../auth/second-factor/confirm-identity.ts';
import { noAuthenticator, secondFactorMissing, wrongCode } from '../../auth/second-factor/factors.ts';
import { wrongPasskey } from '../../auth/second-factor/log-in-with-factor.ts';
import { passkeyExists, passkeyNotFound, passkeysMax, tooManyPasskeys } from '../../auth/second-factor/passkeys.ts';
import { guessesRefusal } from '../../auth/throttle/login-throttle.ts';
import { signInsRefusal } from '../../auth/throttle/request-throttle.ts';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { accountBlocked, addressUnverified, linkNotOpened } from '../../database/rows/account-state.ts';
import { crossOrigin } from '../../http/request/same-origin.ts';
import { sessionSchema } from '../auth/session.ts';
import { describe } from '../docs/describe.ts';
import {
  addedFactorSchema,
  addedPasskeySchema,
  appCodeBody,
  confirmBody,
  newAppSchema,
  newPasskeyBody,
  oneProof,
  passkeyChallengeSchema,
  passkeyCreationSchema,
  passkeyLoginBody,
  passkeyNameBody,
  passkeyParams,
  passkeySchema,
  recoveryCodesSchema,
  secondFactorBody,
  secondFactorsSchema,
} from './second-factor-schemas.ts';

const tag = 'Authentication';
const tooManySignIns = tooManyAttempts(signInsRefusal, 60_000);
const common = { tag, permission: 'profile:manage' } as const;

export const secondFactorDocs = describe({
  id: 'loginWithSecondFactor',
  summary: 'Log in with a second factor',
  description:
    'Answers the challenge of a log-in, with a code from an authenticator app, a recovery code, or a passkey. A code is accepted once; ' +
    `${wrongCodesMax} wrong ones end the challenge, and ${wrongCodesDayMax} wrong ones in a day pause codes from the app.`,
  tag,
  permission: 'public',
  body: {
    schema: secondFactorBody,
    example: { challenge: secondFactorBody.properties.challenge.example, code: '492039' },
  },
  response: { description: 'The user is logged in.', schema: sessionSchema },
  errors: [
    crossOrigin(),
    oneProof(),
    challengeExpired(),
    wrongCode(),
    wrongCredentials(),
    accountBlocked(),
    tooManyCodes(),
  ],
});

export const passkeyLoginDocs = describe({
  id: 'challengePasskey',
  summary: 'Begin to log in with a passkey',
  description:
    'Returns what a passkey has to sign: as the second factor of a log-in whose challenge is sent, or without one as the only factor.',
  tag,
  permission: 'public',
  body: { schema: passkeyLoginBody, optional: true, example: {} },
  response: { description: 'The challenge.', schema: passkeyChallengeSchema },
  errors: [crossOrigin(), challengeExpired(), tooManySignIns],
});

export const confirmDocs = describe({
  ...common,
  id: 'confirmIdentity',
  summary: 'Confirm who you are',
  description:
    `Needed before second factors are changed. It holds for this session and ${confirmedMinutes} minutes, and so does a log-in ` +
    'with a second factor. Those who have a second factor confirm with a code or a passkey, the others with their password.',
  body: { schema: confirmBody, example: { current_password: confirmBody.properties.current_password.example } },
  response: { status: 204, description: 'The session is confirmed.' },
  errors: [
    oneProof(),
    challengeExpired(),
    factorNeeded(),
    wrongPasskey(),
    wrongPassword(),
    tooManyAttempts(guessesRefusal, 60_000),
    tooManySignIns,
    tooManyCodes(),
    tooManyPasswords(),
  ],
});

export const confirmPasskeyDocs = describe({
  ...common,
  id: 'challengeConfirmation',
  summary: 'Begin to confirm with a passkey',
  description: 'Returns what one of your passkeys has to sign.',
  response: { description: 'The challenge.', schema: passkeyChallengeSchema },
  errors: [tooManySignIns],
});

export const getFactorsDocs = describe({
  ...common,
  id: 'getSecondFactors',
  summary: 'Get the second factors',
  description: 'What the caller can log in with besides their password.',
  response: { description: 'The second factors.', schema: secondFactorsSchema },
});

export const beginAppDocs = describe({
  ...common,
  id: 'beginAuthenticatorApp',
  summary: 'Begin to set up an authenticator app',
  description:
    'Returns a new secret, which counts once a code made with it was sent. An earlier one that was not confirmed is void.',
  response: { status: 201, description: 'The secret.', schema: newAppSchema },
  errors: [confirmationRequired(), addressUnverified(), linkNotOpened(), authenticatorExists()],
});

export const addAppDocs = describe({
  ...common,
  id: 'addAuthenticatorApp',
  summary: 'Finish setting up an authenticator app',
  description:
    'Takes a code from the app. From now on each log-in needs a second factor. With the first one, the other sessions of the caller end, ' +
    'and recovery codes are returned.',
  body: { schema: appCodeBody },
  response: { description: 'The app was added.', schema: addedFactorSchema },
  errors: [
    confirmationRequired(),
    addressUnverified(),
    linkNotOpened(),
    wrongCode(),
    authenticatorNotBegun(),
    authenticatorExists(),
  ],
});

export const removeAppDocs = describe({
  ...common,
  id: 'removeAuthenticatorApp',
  summary: 'Remove the authenticator app',
  description: 'If there is no passkey either, log-ins need only the password again, and recovery codes are void.',
  response: { status: 204, description: 'Its codes are no longer accepted.' },
  errors: [confirmationRequired(), noAuthenticator()],
});

export const replaceCodesDocs = describe({
  ...common,
  id: 'replaceRecoveryCodes',
  summary: 'Get new recovery codes',
  description: 'The former ones are void.',
  response: { status: 201, description: 'The codes.', schema: recoveryCodesSchema },
  errors: [confirmationRequired(), secondFactorMissing()],
});

export const beginPasskeyDocs = describe({
  ...common,
  id: 'beginPasskey',
  summary: 'Begin to add a passkey',
  description: 'Returns what the browser makes a passkey with.',
  response: { status: 201, description: 'The challenge.', schema: passkeyCreationSchema },
  errors: [confirmationRequired(), addressUnverified(), linkNotOpened(), tooManySignIns],
});

export const addPasskeyDocs = describe({
  ...common,
  id: 'addPasskey',
  summary: 'Add a passkey',
  description:
    `A passkey is a second factor, and logs in alone where its device has verified its owner. At most ${passkeysMax}. With the first ` +
    'second factor, the other sessions of the caller end, and recovery codes are returned.',
  body: { schema: newPasskeyBody },
  response: { status: 201, description: 'The passkey was added.', schema: addedPasskeySchema },
  errors: [
    confirmationRequired(),
    addressUnverified(),
    linkNotOpened(),
    challengeExpired(),
    wrongPasskey(),
    passkeyExists(),
    tooManyPasskeys(),
  ],
});

export const renamePasskeyDocs = describe({
  ...common,
  id: 'renamePasskey',
  summary: 'Rename a passkey',
  description: 'Its name is only for its owner.',
  params: passkeyParams,
  body: { schema: passkeyNameBody },
  response: { description: 'The renamed passkey.', schema: passkeySchema },
  errors: [passkeyNotFound(7)],
});

export const removePasskeyDocs = describe({
  ...common,
  id: 'removePasskey',
  summary: 'Remove a passkey',
  description:
    'If it was the last second factor, log-ins need only the password again, and recovery codes are void. The passkey stays on its ' +
    'device, where its owner can delete it.',
  params: passkeyParams,
  response: { status: 204, description: 'The passkey is no longer accepted.' },
  errors: [confirmationRequired(), passkeyNotFound(7)],
});
