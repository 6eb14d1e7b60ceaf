/** The documentation of the profile. */
import { checkCompany } from '../../accounts/profile/check-company.ts';
import { wrongPassword } from '../../auth/passwords/confirm-password.ts';
import { tooManyPasswords } from '../../auth/passwords/password-hasher.ts';
import { guessesRefusal } from '../../auth/throttle/login-throttle.ts';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { describe } from '../docs/describe.ts';
import { thrownBy } from '../docs/error-examples.ts';
import {
  changedDetailsSchema,
  changeProfileBody,
  companyBody,
  nothingToChange,
  passwordBody,
  profileSchema,
} from './profile-schemas.ts';

const tooManyGuesses = tooManyAttempts(guessesRefusal, 60_000);
const common = { tag: 'Profile' } as const;

export const getProfileDocs = describe({
  ...common,
  id: 'getProfile',
  permission: 'profile:manage',
  summary: 'Profile',
  description: 'Who the user is, and whom accounting documents for the account are issued to.',
  response: { description: 'The profile.', schema: profileSchema },
});

export const changeProfileDocs = describe({
  ...common,
  id: 'changeProfile',
  permission: 'profile:manage',
  summary: 'Change the profile',
  description:
    'Fields that you leave out stay as they are; null clears one. A new `email` needs `current_password`. It is shown ' +
    'as `pendingEmail` until the link that is mailed to it is followed, and the current address is notified. If ' +
    'another account has the address, the response is the same, but its owner gets a notice instead of the link. ' +
    'Sending the current `email` or setting a new password cancels the change.',
  body: { schema: changeProfileBody, example: { displayName: 'Anna' } },
  response: { description: 'The profile after the change.', schema: profileSchema },
  errors: [nothingToChange(), wrongPassword(), tooManyGuesses, tooManyPasswords()],
});

export const changeDetailsDocs = describe({
  ...common,
  id: 'changeDetails',
  permission: 'payments:manage',
  summary: 'Set the account type and the company details',
  description:
    'Fields that you leave out stay as they are; null clears one. A new `accountType` removes the details that do not ' +
    'apply to it, and `dropped` names them. Details can be filled in step by step; each value is validated. ' +
    '`error.errors` lists all problems together, in English or, by `Accept-Language`, in Russian.',
  body: { schema: companyBody },
  response: { description: 'The profile after the change.', schema: changedDetailsSchema },
  errors: [
    thrownBy(() => checkCompany({ inn: '7707083893' }, 'en')),
    thrownBy(() => checkCompany({ accountType: 'OOO', inn: '7707083894', kpp: '770701' }, 'en')),
  ],
});

export const changePasswordDocs = describe({
  ...common,
  id: 'changePassword',
  permission: 'profile:manage',
  summary: 'Change the password',
  description:
    "Ends the user's other sessions and notifies the user by e-mail. Wrong passwords count like failed log-ins: several of " +
    'them start a pause, which grows with each further one.',
  body: { schema: passwordBody },
  response: { status: 204, description: 'The password is changed.' },
  errors: [wrongPassword(), tooManyGuesses, tooManyPasswords()],
});
