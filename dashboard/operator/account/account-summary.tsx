/** Who the account belongs to, its state and its rate limits. */
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { rateLimits } from '../../../shared/limits/rate-limits.ts';
import { limitTexts } from '../../app/i18n/limit-texts.ts';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatCount } from '../../app/time/format-time.ts';
import { Instant } from '../../app/time/instant.tsx';
import { AccountState } from '../accounts/account-state.tsx';
import { Facts } from '../facts.tsx';
import { accountTexts } from './account-texts.ts';
import type { Account, AccountLimits } from './queries.ts';

export function AccountSummary({ account }: { account: Account }) {
  const t = useTexts(accountTexts);
  const { id, createdAt, blockedAt, deletedAt, companyName, displayName, inn, accountType, role, limits } = account;
  const company = [companyName ?? displayName, inn && t('inn', { inn })].filter(Boolean).join(' · ');
  const since = deletedAt ?? blockedAt;
  return (
    <section className="panel">
      <Facts
        facts={[
          {
            label: t('state'),
            value: (
              <>
                <AccountState account={account} />
                {since === null ? null : (
                  <Text span inherit c="dimmed">
                    {' · '}
                    <Instant value={since} />
                  </Text>
                )}
              </>
            ),
          },
          { label: t('since'), value: <Instant value={createdAt} as="day" /> },
          { label: t('type'), value: `${t(accountType)}${role === 'operator' ? ` · ${t('operator')}` : ''}` },
          { label: t('company'), value: company === '' ? '—' : company },
          { label: t('limits'), value: <RateLimits limits={limits} /> },
          {
            label: t('history'),
            value: (
              <Link to="/operator/audit" search={{ accountId: id }} className="operator-plain-link">
                {t('auditOf')}
              </Link>
            ),
          },
        ]}
      />
    </section>
  );
}

function RateLimits({ limits }: { limits: AccountLimits }) {
  const t = useTexts(accountTexts);
  const language = useLanguage();
  const limitText = useTexts(limitTexts);
  const value = (limit: number | null) =>
    limit === null ? t('byDefault') : limit === 0 ? t('unlimited') : formatCount(limit, language);
  if (rateLimits.every(({ name }) => limits[name] === null)) return t('allByDefault');
  return rateLimits.map(({ name }) => <div key={name}>{`${limitText(name)}: ${value(limits[name])}`}</div>);
}
