/** Company details that a document needs and that are missing. */
import { DetailedError } from '../app/api/detailed-call.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { isCompanyField } from '../company/company-fields.ts';
import { companyTexts } from '../company/company-texts.ts';

/** The API's names of what is missing; undefined for any other error. */
export function missingDetails(error: unknown): readonly string[] | undefined {
  if (!(error instanceof DetailedError) || error.code !== 'company_details_missing') return undefined;
  return error.problems.map(({ param }) => param);
}

/** What people call them. */
export function useDetailNames(): (field: string) => string {
  const t = useTexts(companyTexts);
  return (field) => (field === 'accountType' || isCompanyField(field) ? t(field) : field);
}
