/** What is wrong with a detail, in words. */
import { useTexts } from '../app/i18n/use-texts.ts';
import type { FieldProblem } from './check-field.ts';
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
