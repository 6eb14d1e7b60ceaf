/** The account types and their details, in the order of the form. */
export const accountTypes = ['INDIVIDUAL', 'OOO', 'IP'] as const;
export type AccountType = (typeof accountTypes)[number];

const bank = ['bankName', 'bik', 'checkingAccount', 'correspondentAccount'] as const;

/** Two groups: who it is, and where their money is. */
export const groupsOf = {
  INDIVIDUAL: { own: [], bank: [] },
  OOO: { own: ['companyName', 'inn', 'kpp', 'ogrn', 'directorName', 'legalAddress', 'actualAddress'], bank },
  IP: { own: ['fullName', 'inn', 'ogrnip', 'address'], bank },
} as const;

export type CompanyField = (typeof groupsOf)['OOO' | 'IP']['own' | 'bank'][number];
export type CompanyValues = Readonly<Record<CompanyField, string>>;

export const fieldsOf = (type: AccountType): readonly CompanyField[] => [...groupsOf[type].own, ...groupsOf[type].bank];

const noValues: CompanyValues = {
  companyName: '',
  fullName: '',
  inn: '',
  kpp: '',
  ogrn: '',
  ogrnip: '',
  legalAddress: '',
  actualAddress: '',
  address: '',
  directorName: '',
  bankName: '',
  bik: '',
  checkingAccount: '',
  correspondentAccount: '',
};

export const isCompanyField = (name: string): name is CompanyField => Object.hasOwn(noValues, name);

export const isAccountType = (name: string): name is AccountType => accountTypes.some((type) => type === name);

interface SavedCompany {
  readonly company: Readonly<Partial<Record<CompanyField, string | null>>> | null;
}

/** What is saved; empty where nothing is. */
export function valuesOf({ company }: SavedCompany): CompanyValues {
  const saved = Object.entries(company ?? {}).map(([field, value]) => [field, value ?? '']);
  return { ...noValues, ...Object.fromEntries(saved) };
}
