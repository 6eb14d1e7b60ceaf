/** Whether an account can be used. */
import { Status } from '../../app/components/status.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { accountsTexts } from './accounts-texts.ts';

interface AccountStateProps {
  readonly account: { readonly blockedAt: string | null; readonly deletedAt: string | null };
}

export function AccountState({ account: { blockedAt, deletedAt } }: AccountStateProps) {
  const t = useTexts(accountsTexts);
  if (deletedAt !== null) return <Status tone="neutral">{t('deleted')}</Status>;
  if (blockedAt !== null) return <Status tone="bad">{t('blocked')}</Status>;
  return <Status tone="good">{t('active')}</Status>;
}
