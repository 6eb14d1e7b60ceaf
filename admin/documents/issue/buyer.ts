/** Whom documents are issued to: the company details of an account, if they are complete. */
import { and, desc, eq, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { CompanyDetails } from '../../accounts/profile/company-fields.ts';
import { readCompany } from '../../accounts/profile/company-store.ts';
import { hasDetails, requiredOf } from '../../accounts/profile/complete-company.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { documents } from '../../database/tables/documents.ts';
import type { DocumentData, Party } from '../document-data.ts';

/** Throws GatewayError `company_details_missing`, which names the fields. */
export async function requireBuyer(db: DbOrTransaction, accountId: number): Promise<Party> {
  const details = await readCompany(db, accountId);
  const { accountType: kind, values } = details;
  if (kind === 'INDIVIDUAL') {
    const former = await readFormerBuyer(db, accountId);
    if (former === undefined) throw notACompany();
    return former;
  }
  const missing = requiredOf(kind).filter((field) => values[field] === null);
  if (missing.length > 0) throw detailsMissing(missing);
  return partyOf(kind, details);
}

/** Of rows of `accounts`: whether `requireBuyer` finds whom to name. */
export const hasBuyer = sql`(${hasDetails}
  OR (accounts.deleted_at IS NOT NULL AND EXISTS (SELECT FROM documents WHERE documents.account_id = accounts.id)))`;

/** Once a document names it, a deleted company has no details: its remaining documents are issued to the same recipient. */
async function readFormerBuyer(db: DbOrTransaction, accountId: number): Promise<Party | undefined> {
  const [row] = await db
    .select({ data: documents.data })
    .from(documents)
    .where(
      and(
        eq(documents.accountId, accountId),
        sql`EXISTS (SELECT FROM accounts WHERE accounts.id = ${documents.accountId} AND accounts.deleted_at IS NOT NULL)`,
      ),
    )
    .orderBy(desc(documents.id))
    .limit(1);
  return row === undefined ? undefined : (row.data as DocumentData).buyer;
}

function partyOf(kind: 'OOO' | 'IP', { values }: CompanyDetails): Party {
  const { bankName, bik, checkingAccount, correspondentAccount, kpp, directorName } = values;
  const own =
    kind === 'OOO'
      ? { name: values.companyName, ogrn: values.ogrn, address: values.legalAddress }
      : { name: values.fullName, ogrn: values.ogrnip, address: values.address };
  return {
    kind,
    name: own.name ?? '',
    inn: values.inn ?? '',
    ...(kind === 'OOO' && kpp !== null && { kpp }),
    ogrn: own.ogrn ?? '',
    address: own.address ?? '',
    ...(bankName !== null && { bankName }),
    ...(bik !== null && { bik }),
    ...(checkingAccount !== null && { checkingAccount }),
    ...(correspondentAccount !== null && { correspondentAccount }),
    ...(kind === 'OOO' && directorName !== null && { director: directorName }),
  };
}

export function detailsMissing(fields: readonly string[]): GatewayError {
  return new GatewayError(
    'company_details_missing',
    `Accounting documents need company details that are missing: ${fields.join(', ')}. Set them with PUT /api/profile/details.`,
    { problems: fields.map((param) => ({ param, code: 'missing_parameter', message: `'${param}' is required.` })) },
  );
}

export function notACompany(): GatewayError {
  const message =
    "Accounting documents are issued to companies and sole proprietors: set 'accountType' to OOO or IP with PUT " +
    '/api/profile/details. Individuals get the receipts of the payment provider.';
  const param = 'accountType';
  return new GatewayError('company_details_missing', message, {
    problems: [{ param, code: 'invalid_parameter', message: `'${param}' must be OOO or IP.` }],
  });
}
