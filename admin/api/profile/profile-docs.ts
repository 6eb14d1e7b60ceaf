/** What the documentation says about the profile. */
import { describe } from '../../docs/describe.ts';
import {
  changedDetailsSchema,
  changeProfileBody,
  companyBody,
  companyExample,
  passwordBody,
  profileExample,
  profileSchema,
} from './profile-schemas.ts';

const common = { tag: 'Profile', security: 'accessToken' } as const;
const profile = { schema: profileSchema, example: profileExample };

export const getProfileDocs = describe({
  ...common,
  id: 'getProfile',
  summary: 'Profile',
  answer: { status: 200, description: 'Who the user is.', ...profile },
});

export const changeProfileDocs = describe({
  ...common,
  id: 'changeProfile',
  summary: 'Change the profile',
  description:
    'Fields that are not sent stay as they are; null clears one. A new `email` needs `current_password`; it is ' +
    '`pendingEmail` until the link that is mailed to it is followed, and the present address is told. Sending the ' +
    'present `email` or setting a new password calls that off.',
  body: { schema: changeProfileBody, example: { displayName: 'Anna' } },
  answer: { status: 200, description: 'The profile as it is now.', ...profile },
  errors: ['wrong_password', 'email_taken', 'too_many_attempts', 'overloaded'],
});

export const changeDetailsDocs = describe({
  ...common,
  id: 'changeDetails',
  summary: 'Set the account type and the company details',
  description:
    'Fields that are not sent stay as they are; null clears one. Another `accountType` drops what does not apply to it, and ' +
    'names that in `dropped`. Details may be filled in step by step; what is sent is verified. Everything wrong is named at once, in `error.errors`, in English or, by ' +
    '`Accept-Language`, in Russian.',
  body: { schema: companyBody, example: companyExample },
  answer: {
    status: 200,
    description: 'The profile as it is now.',
    schema: changedDetailsSchema,
    example: { ...profileExample, dropped: [] },
  },
});

export const changePasswordDocs = describe({
  ...common,
  id: 'changePassword',
  summary: 'Change the password',
  description:
    "Ends the user's other sessions and tells him by mail. Wrong passwords count as failed log-ins do: after some of them " +
    'there is a pause, and after each further one a longer one.',
  body: {
    schema: passwordBody,
    example: { current_password: 'three-quiet-otters-sing', new_password: 'seven-calm-herons-fish' },
  },
  answer: { status: 204, description: 'The new password is in force.' },
  errors: ['wrong_password', 'too_many_attempts', 'overloaded'],
});
