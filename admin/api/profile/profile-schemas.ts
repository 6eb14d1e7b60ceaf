/** The profile as the interface specifies it (§2.1, §2.2), and the bodies that change it. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import { textMaxLengths } from '../../accounts/profile/check-company-field.ts';
import {
  accountTypes,
  type CompanyDetails,
  type CompanyField,
  fieldsOf,
} from '../../accounts/profile/company-fields.ts';
import type { Caller } from '../../auth/authorize.ts';
import type { User } from '../../auth/create-user.ts';
import { grantOf } from '../../auth/permissions.ts';
import { newPassword } from '../auth/auth-schemas.ts';
import { checkedBy, nullableInput } from '../fields/checked-by.ts';
import { customer } from '../fields/example-values.ts';
import {
  closedObject,
  emailAddress,
  flag,
  integer,
  label,
  nullable,
  oneOf,
  text,
  timestamp,
} from '../fields/schemas.ts';

const displayNameMaxLength = 100;
const avatarUrlMaxLength = 2_000;
const accountType = oneOf(
  accountTypes,
  'Whom accounting documents are issued to: a private person (`INDIVIDUAL`), a company (`OOO`) or a sole proprietor ' +
    '(`IP`).',
  'OOO',
);
const currentPassword = (description: string, example?: string) =>
  Type.String({ maxLength: 256, description, expected: 'the current password', example });

/** Of a company, in the examples; a sole proprietor's fields are not in them. */
const companyExample: Partial<Record<CompanyField, string>> = {
  companyName: customer.companyName,
  inn: customer.inn,
  kpp: '770701001',
  ogrn: '1027700132195',
  legalAddress: '117997, Москва, ул. Вавилова, 19',
  actualAddress: '117997, Москва, ул. Вавилова, 19',
  directorName: 'Иванова Анна Петровна',
  bankName: 'ПАО «Банк»',
  bik: '049805746',
  checkingAccount: '40602810700000000025',
  correspondentAccount: '30101810800000000746',
};

const meanings: Record<CompanyField, string> = {
  companyName: 'OOO: the full legal name.',
  fullName: 'IP: the full name.',
  inn: 'Taxpayer number: 10 digits of an OOO, 12 of an IP, with check digits.',
  kpp: 'OOO: tax registration reason code, 9 characters.',
  ogrn: 'OOO: primary state registration number, 13 digits with a check digit.',
  ogrnip: 'IP: primary state registration number, 15 digits with a check digit.',
  legalAddress: 'OOO: registered address.',
  actualAddress: 'OOO: operating address.',
  address: 'IP: the registered address.',
  directorName: "OOO: the director's full name.",
  bankName: "The bank's name.",
  bik: "The bank's identification code, 9 digits.",
  checkingAccount: 'The number of the checking account: 20 digits that agree with `bik`.',
  correspondentAccount: "The bank's correspondent account, 20 digits that agree with `bik`.",
};

const companyField = (field: CompanyField, description: string) =>
  Type.Optional(
    checkedBy<string | null>(
      {
        type: 'string',
        nullable: true,
        ...lengthOf(field),
        description,
        expected: 'a string or null',
        example: companyExample[field],
      },
      (value) => value === null || typeof value === 'string',
    ),
  );
/** Checked with the other rules of a field, whose messages are more specific than a schema's. */
function lengthOf(field: string): { readonly maxLength?: number } {
  const lengths: Readonly<Record<string, number>> = textMaxLengths;
  const maxLength = Object.hasOwn(lengths, field) ? lengths[field] : undefined;
  return maxLength === undefined ? {} : { maxLength };
}
const companyProperties = Object.fromEntries(
  Object.entries(meanings).map(([field, description]) => [field, companyField(field as CompanyField, description)]),
) as Record<CompanyField, ReturnType<typeof companyField>>;

export const changeProfileBody = closedObject({
  displayName: Type.Optional(
    nullableInput(label(displayNameMaxLength, 'The name that the dashboard shows; null or blank clears it.')),
  ),
  avatarUrl: Type.Optional(
    nullableInput(label(avatarUrlMaxLength, 'The `https://` address of a picture of the user; null clears it.')),
  ),
  email: Type.Optional(
    emailAddress(
      'The new address to log in with. It takes effect when the link that is mailed to it is followed. The current ' +
        'address cancels a pending change.',
    ),
  ),
  current_password: Type.Optional(currentPassword('The current password. Required only with a new `email`.')),
});

export function nothingToChange(): GatewayError {
  const message = 'Send at least one of `displayName`, `avatarUrl` and `email`.';
  return new GatewayError('missing_parameter', message, { param: 'displayName' });
}

/** For the documentation only: `checkCompany` checks all fields and reports every problem. */
export const companyBody = closedObject({ accountType: Type.Optional(accountType), ...companyProperties });

export const passwordBody = closedObject({
  current_password: currentPassword('The current password, as confirmation.', customer.password),
  new_password: newPassword,
});

const profileProperties = {
  id: integer('The id of the user.', customer.userId),
  email: text('The address that the user logs in with and that e-mails are sent to.', customer.email),
  pendingEmail: nullable(
    text('A new address whose link has not been followed yet; null if no change of the address is pending.'),
  ),
  displayName: nullable(text('The name that the dashboard shows; null if none was given.', customer.name)),
  avatarUrl: nullable(
    text('The address of a picture of the user; null if none was given.', 'https://example.com/anna.png'),
  ),
  accountType,
  company: nullable(
    Type.Object(companyProperties, {
      description:
        'The company details that the account type has, each null until it is filled in; null for `INDIVIDUAL`, and for those ' +
        'who may not see payments.',
      example: companyExample,
    }),
  ),
  emailVerified: flag('Whether the user has followed a link that was mailed to `email`.', true),
  role: oneOf(['customer', 'operator'], 'What the user may do: an `operator` may call `/api/operator/…` too.'),
  createdAt: timestamp('When the user signed up or was created.'),
};

export const profileSchema = Type.Object(profileProperties, { title: 'Profile' });
export const changedDetailsSchema = Type.Object(
  {
    ...profileProperties,
    dropped: Type.Array(Type.String(), {
      description: 'The fields that this change cleared, because they do not apply to the new account type.',
    }),
  },
  { title: 'ChangedCompany' },
);

/** A profile is everyone's; whom documents are issued to is the business of those who see payments. */
const maySeeCompany = ({ organizationRole, unmetRule }: Pick<Caller, 'organizationRole' | 'unmetRule'>) =>
  unmetRule === null && (grantOf('payments:read')?.all.includes(organizationRole) ?? false);

export function renderProfile(
  user: User & Pick<Caller, 'organizationRole' | 'unmetRule'>,
  { accountType, values }: CompanyDetails,
): typeof profileSchema.static {
  const { id, email, pendingEmail, displayName, avatarUrl, emailVerifiedAt, role, createdAt } = user;
  const fields: readonly CompanyField[] = fieldsOf[accountType];
  return {
    id,
    email,
    pendingEmail,
    displayName,
    avatarUrl,
    accountType,
    company:
      fields.length === 0 || !maySeeCompany(user)
        ? null
        : Object.fromEntries(fields.map((field) => [field, values[field]])),
    emailVerified: emailVerifiedAt !== null,
    role,
    createdAt: createdAt.toISOString(),
  };
}
