/**
 * Reads `SELLER_FILE`, which describes the seller of accounting documents, and reports all of its errors together. All
 * values are read as text, so that numbers need no quotes and keep their leading zeros.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigurationError } from '../../../shared/config/environment.ts';
import { checkCompanyField } from '../../accounts/profile/check-company-field.ts';
import { isCheckingAccount, isCorrespondentAccount } from '../../accounts/profile/check-digits.ts';
import type { CompanyField } from '../../accounts/profile/company-fields.ts';
import { companyMessages } from '../../accounts/profile/company-messages.ts';
import { parseYaml } from '../../catalogue/parse-yaml.ts';
import type { PaymentConfig } from '../../config/payments.ts';
import { isDay } from '../../lots/months.ts';
import type { Party } from '../document-data.ts';
import { findImageProblem } from './check-image.ts';

export interface Seller {
  readonly party: Party;
  /** Per cent, like "22"; absent where the seller pays no VAT. */
  readonly vat?: string;
  /** The first day on which the seller pays VAT; absent where that was always so. */
  readonly vatSince?: string;
  /** What a month's usage is documented by. */
  readonly documentKind: 'act' | 'upd';
  /** PNG or JPEG, printed on invoices and acts. */
  readonly stamp?: Uint8Array;
  readonly signature?: Uint8Array;
}

/** Whether the seller pays VAT on this day, such as `2026-10-31`. */
export function hasVatOn({ vat, vatSince = '' }: Seller, day: string): boolean {
  return vat !== undefined && day >= vatSince;
}

type Kind = Party['kind'];

interface Field {
  /** The company detail with the same rules. */
  readonly like: CompanyField;
  readonly isOptional?: boolean;
}

const shared = {
  inn: { like: 'inn' },
  bankName: { like: 'bankName' },
  bik: { like: 'bik' },
  checkingAccount: { like: 'checkingAccount' },
  correspondentAccount: { like: 'correspondentAccount' },
  accountant: { like: 'directorName', isOptional: true },
} as const satisfies Record<string, Field>;

const fieldsOf: Readonly<Record<Kind, Readonly<Record<string, Field>>>> = {
  OOO: {
    name: { like: 'companyName' },
    kpp: { like: 'kpp' },
    ogrn: { like: 'ogrn' },
    address: { like: 'legalAddress' },
    director: { like: 'directorName' },
    ...shared,
  },
  IP: {
    name: { like: 'fullName' },
    ogrnip: { like: 'ogrnip' },
    address: { like: 'address' },
    director: { like: 'directorName', isOptional: true },
    ...shared,
  },
};
const otherFields = ['kind', 'vat', 'vatSince', 'documentKind', 'stamp', 'signature'];

/** Undefined if there is no `SELLER_FILE`. Throws as `readSeller` does. */
export function readSellerOf({ sellerFile }: Pick<PaymentConfig, 'sellerFile'>): Seller | undefined {
  return sellerFile === undefined ? undefined : readSeller(sellerFile);
}

/** Throws ConfigurationError with all problems, each a sentence that begins with the variable's name. */
export function readSeller(path: string): Seller {
  const file = new SellerFile(path, readValues(path));
  const kind = file.oneOf('kind', ['OOO', 'IP']);
  const documentKind = file.oneOf('documentKind', ['act', 'upd'], 'act');
  const vat = file.vat();
  const vatSince = file.vatSince();
  const party = kind === undefined ? undefined : file.party(kind);
  const stamp = file.image('stamp');
  const signature = file.image('signature');
  if (file.problems.length > 0 || party === undefined || documentKind === undefined || vat === undefined) {
    throw refusal(path, file.problems);
  }
  return {
    party,
    documentKind,
    ...(vat !== 'none' && { vat }),
    ...(vatSince !== undefined && { vatSince }),
    ...(stamp && { stamp }),
    ...(signature && { signature }),
  };
}

class SellerFile {
  readonly problems: string[] = [];
  readonly #path: string;
  readonly #values: ReadonlyMap<string, string>;

  constructor(path: string, values: ReadonlyMap<string, string>) {
    this.#path = path;
    this.#values = values;
  }

  oneOf<Choice extends string>(key: string, choices: readonly Choice[], fallback?: Choice): Choice | undefined {
    const value = this.#values.get(key);
    if (value === undefined && fallback !== undefined) return fallback;
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) this.#refuse(key, `one of ${choices.join(', ')}`);
    return choice;
  }

  /** The rate, or `none`. */
  vat(): string | undefined {
    const value = this.#values.get('vat');
    const isRate = value !== undefined && /^[1-9]\d?(\.\d?[1-9])?$/.test(value);
    if (value === 'none' || isRate) return value;
    this.#refuse('vat', 'none, or a rate in percent such as 22');
    return undefined;
  }

  vatSince(): string | undefined {
    const value = this.#values.get('vatSince');
    if (value === undefined) return undefined;
    if (this.#values.get('vat') === 'none') this.problems.push("'vatSince' needs a rate of VAT in 'vat'.");
    else if (!isDay(value)) this.#refuse('vatSince', 'a day such as 2030-01-01');
    return value;
  }

  party(kind: Kind): Party {
    const fields = fieldsOf[kind];
    const found = new Map<string, string>();
    for (const [key, { like, isOptional }] of Object.entries(fields)) {
      const value = this.#values.get(key);
      if (value === undefined && !isOptional) this.problems.push(`'${key}' is missing.`);
      if (value === undefined) continue;
      const problem = checkCompanyField({ field: like, type: kind, value }, companyMessages.en);
      if (problem === undefined) found.set(key, value);
      else this.problems.push(problem.replace(`'${like}'`, `'${key}'`));
    }
    this.#checkAccounts(found);
    for (const key of this.#values.keys()) {
      if (Object.hasOwn(fields, key) || otherFields.includes(key)) continue;
      const isOfOther = Object.values(fieldsOf).some((others) => Object.hasOwn(others, key));
      this.problems.push(isOfOther ? `'${key}' does not apply to the kind ${kind}.` : `'${key}' is not a known field.`);
    }
    const { ogrnip, ...values } = Object.fromEntries(found);
    return { name: '', inn: '', ogrn: ogrnip ?? '', address: '', ...values, kind };
  }

  image(key: 'stamp' | 'signature'): Uint8Array | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    try {
      const bytes = readFileSync(resolve(dirname(this.#path), value));
      const problem = findImageProblem(bytes);
      if (problem === undefined) return bytes;
      this.problems.push(`'${key}' ${problem}`);
    } catch (error) {
      this.problems.push(`'${key}' names a file that cannot be read: ${String(error)}`);
    }
    return undefined;
  }

  /** An account number must match the BIK of its bank. */
  #checkAccounts(found: ReadonlyMap<string, string>): void {
    const bik = found.get('bik');
    if (bik === undefined) return;
    const checks = { checkingAccount: isCheckingAccount, correspondentAccount: isCorrespondentAccount } as const;
    for (const [key, agrees] of Object.entries(checks)) {
      const account = found.get(key);
      if (account !== undefined && !agrees(account, bik)) this.problems.push(companyMessages.en.accountCheck(key));
    }
  }

  #refuse(key: string, expected: string): void {
    const isMissing = !this.#values.has(key);
    this.problems.push(
      isMissing ? `'${key}' is missing: ${expected}.` : `Invalid value for '${key}': expected ${expected}.`,
    );
  }
}

/** What has a value; blank ones count as missing. */
function readValues(path: string): ReadonlyMap<string, string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw refusal(path, [`The file cannot be read: ${String(error)}`]);
  }
  const parsed = parseYaml(text, { isPlainText: true });
  if (!parsed.ok) throw refusal(path, parsed.problems);
  const { value } = parsed;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw refusal(path, ['The file must consist of fields such as `kind: OOO`.']);
  }
  const fields = Object.entries(value);
  const nested = fields.filter(([, content]) => typeof content !== 'string').map(([key]) => key);
  if (nested.length > 0)
    throw refusal(
      path,
      nested.map((key) => `Invalid value for '${key}': expected text.`),
    );
  return new Map(
    fields.map(([key, content]) => [key, String(content).trim()] as const).filter(([, text]) => text !== ''),
  );
}

function refusal(path: string, problems: readonly string[]): ConfigurationError {
  return new ConfigurationError(problems.map((problem) => `SELLER_FILE ${path}: ${problem}`));
}
