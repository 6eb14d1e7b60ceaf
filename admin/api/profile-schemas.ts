/** The profile as the interface shows it (§2.1, §2.2), and what can be sent to change it. */
import { Type } from '@sinclair/typebox';
import type { User } from '../auth/create-user.ts';
import { accountTypes, type CompanyDetails, type CompanyField, fieldsOf, noValues } from '../profile/company-fields.ts';
import { orNull } from './checked-by.ts';
import { closedObject, label, nullable, oneOf, timestamp } from './schemas.ts';

const displayNameMaxLength = 100;
const avatarUrlMaxLength = 2_000;
const accountType = oneOf(accountTypes, `one of ${accountTypes.join(', ')}`);

const meanings: Record<CompanyField, string> = {
  companyName: 'OOO: the full legal name.',
  fullName: 'IP: the full name.',
  inn: 'Taxpayer number: 10 digits of an OOO, 12 of an IP, with check digits.',
  kpp: 'OOO: tax registration reason code, 9 characters.',
  ogrn: 'OOO: primary state registration number, 13 digits with a check digit.',
  ogrnip: 'IP: primary state registration number, 15 digits with a check digit.',
  legalAddress: 'OOO: registered address.',
  actualAddress: 'OOO: operating address.',
  address: 'IP: address.',
  directorName: "OOO: the director's full name.",
  bankName: 'The bank.',
  bik: "The bank's identification code, 9 digits.",
  checkingAccount: 'Account number, 20 digits that agree with `bik`.',
  correspondentAccount: "The bank's correspondent account, 20 digits that agree with `bik`.",
};

const companyField = (description: string) =>
  Type.Optional(Type.Unsafe<string | null>({ type: 'string', nullable: true, description }));
const companyProperties = Object.fromEntries(
  Object.entries(meanings).map(([field, description]) => [field, companyField(description)]),
) as Record<CompanyField, ReturnType<typeof companyField>>;

export const changeProfileBody = closedObject({
  displayName: Type.Optional(orNull(label(displayNameMaxLength))),
  avatarUrl: Type.Optional(orNull(label(avatarUrlMaxLength))),
  email: Type.Optional(Type.String({ maxLength: 320, description: 'an e-mail address' })),
  current_password: Type.Optional(Type.String({ maxLength: 256, description: 'the current password' })),
});

/** For the documentation only: `checkCompany` looks at all fields and names every problem. */
export const companyBody = closedObject({ accountType: Type.Optional(accountType), ...companyProperties });

export const passwordBody = closedObject({
  current_password: Type.String({ maxLength: 256, description: 'the current password' }),
  /** Checked by the rules for passwords, which explain more than a schema can. */
  new_password: Type.String({ description: 'a text of 12 to 256 characters' }),
});

const profileProperties = {
  id: Type.Integer(),
  email: Type.String(),
  pendingEmail: nullable(Type.String({ description: 'A new address whose mailed link was not followed yet.' })),
  displayName: nullable(Type.String()),
  avatarUrl: nullable(Type.String()),
  accountType,
  company: nullable(
    Type.Object(companyProperties, { description: 'The fields of the account type; null for an individual.' }),
  ),
  emailVerified: Type.Boolean(),
  role: oneOf(['customer', 'operator'], 'what the user may do'),
  createdAt: timestamp,
};

export const profileSchema = Type.Object(profileProperties);
export const changedDetailsSchema = Type.Object({
  ...profileProperties,
  dropped: Type.Array(Type.String(), {
    description: 'Fields that had a value and have none now, because the account has another type.',
  }),
});

export function renderProfile(user: User, { accountType, values }: CompanyDetails): typeof profileSchema.static {
  const { id, email, pendingEmail, displayName, avatarUrl, emailVerifiedAt, role, createdAt } = user;
  const fields: readonly CompanyField[] = fieldsOf[accountType];
  return {
    id,
    email,
    pendingEmail,
    displayName,
    avatarUrl,
    accountType,
    company: fields.length === 0 ? null : Object.fromEntries(fields.map((field) => [field, values[field]])),
    emailVerified: emailVerifiedAt !== null,
    role,
    createdAt: createdAt.toISOString(),
  };
}

export const companyExample = {
  accountType: 'OOO',
  companyName: 'ООО «Ромашка»',
  inn: '7707083893',
  kpp: '770701001',
  ogrn: '1027700132195',
  legalAddress: '117997, Москва, ул. Вавилова, 19',
  actualAddress: '117997, Москва, ул. Вавилова, 19',
  directorName: 'Иванова Анна Петровна',
  bankName: 'ПАО «Банк»',
  bik: '049805746',
  checkingAccount: '40602810700000000025',
  correspondentAccount: '30101810800000000746',
} satisfies typeof companyBody.static;

const { accountType: exampleType, ...exampleValues } = companyExample;

export const profileExample = renderProfile(
  {
    id: 42,
    accountId: 17,
    email: 'anna@example.com',
    passwordHash: '',
    role: 'customer',
    displayName: 'Anna',
    avatarUrl: 'https://example.com/anna.png',
    emailVerifiedAt: new Date('2030-01-01T12:05:00Z'),
    pendingEmail: null,
    deletedAt: null,
    createdAt: new Date('2030-01-01T12:00:00Z'),
  },
  { accountType: exampleType, values: { ...noValues, ...exampleValues } },
);
