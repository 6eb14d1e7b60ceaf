/** The company details, and the account types they belong to. */

export const accountTypes = ['INDIVIDUAL', 'OOO', 'IP'] as const;
export type AccountType = (typeof accountTypes)[number];

const bankFields = ['bankName', 'bik', 'checkingAccount', 'correspondentAccount'] as const;

export const fieldsOf = {
  INDIVIDUAL: [],
  OOO: ['companyName', 'inn', 'kpp', 'ogrn', 'legalAddress', 'actualAddress', 'directorName', ...bankFields],
  IP: ['fullName', 'inn', 'ogrnip', 'address', ...bankFields],
} as const satisfies Record<AccountType, readonly string[]>;

export type CompanyField = (typeof fieldsOf)['OOO' | 'IP'][number];

/** Null if a field is not known yet, and where it belongs to another account type. */
export type CompanyValues = Readonly<Record<CompanyField, string | null>>;

/** Whom accounting documents are issued to. */
export interface CompanyDetails {
  readonly accountType: AccountType;
  readonly values: CompanyValues;
}

export const noValues: CompanyValues = {
  companyName: null,
  fullName: null,
  inn: null,
  kpp: null,
  ogrn: null,
  ogrnip: null,
  legalAddress: null,
  actualAddress: null,
  address: null,
  directorName: null,
  bankName: null,
  bik: null,
  checkingAccount: null,
  correspondentAccount: null,
};

export function isCompanyField(name: string): name is CompanyField {
  return Object.hasOwn(noValues, name);
}

export function isAccountType(value: unknown): value is AccountType {
  return accountTypes.some((type) => type === value);
}

export function hasField(type: AccountType, field: CompanyField): boolean {
  const fields: readonly string[] = fieldsOf[type];
  return fields.includes(field);
}
