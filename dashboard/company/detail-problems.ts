/** What is wrong with the company details, in words, and which of them a document needs that are missing. */

import { DetailedError } from '../app/api/detailed-call.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import type { FieldProblem } from './check-field.ts';
import { isCompanyField } from './company-fields.ts';
import { companyTexts } from './company-texts.ts';

/** Null for no problem, as forms expect it. */
export function useProblemText(): (problem: FieldProblem | undefined) => string | null {
  const t = useTexts(companyTexts);
  return (problem) => {
    if (problem === undefined) return null;
    switch (problem.kind) {
      case 'digits':
        return t('wrongDigits', { count: problem.count });
      case 'long':
        return t('wrongLength', { count: problem.count });
      case 'checkDigits':
        return t('wrongCheckDigits');
      case 'kpp':
        return t('wrongKpp');
      case 'account':
        return t('wrongAccount');
      case 'bikMissing':
        return t('bikMissing');
    }
  };
}

/** The API's names of the details that a document needs and that are missing; undefined for any other error. */
export function missingDetails(error: unknown): readonly string[] | undefined {
  if (!(error instanceof DetailedError) || error.code !== 'company_details_missing') return undefined;
  return error.problems.map(({ param }) => param);
}

/** What people call the details. */
export function useDetailNames(): (field: string) => string {
  const t = useTexts(companyTexts);
  return (field) => (field === 'accountType' || isCompanyField(field) ? t(field) : field);
}
