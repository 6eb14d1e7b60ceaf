/** Which open invoices a transfer may pay, and what of each agrees. One that is not certain is chosen here. */
import { Button, Text } from '@mantine/core';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { usePaid } from '../../../billing/payments/payment-words.tsx';
import { bankTexts } from './bank-texts.ts';
import type { BankLine, Candidate } from './queries.ts';
import type { Booking } from './use-booking.ts';

/** Further ones are hardly what was paid. */
const candidatesMax = 3;

export function LineMatch({ line, booking }: { line: BankLine; booking: Booking }) {
  const t = useTexts(bankTexts);
  const paid = usePaid();
  const { state, candidates, otherAccountIds, id } = line;
  if (state === 'unmatched' || state === 'certain') {
    return (
      <Text span size="xs" c="dimmed">
        {t(state === 'certain' ? 'certainText' : 'unmatchedText')}
      </Text>
    );
  }
  const nameOf = ({ number, amount: expected }: Candidate) => {
    const amount = paid(expected, 'RUB');
    return number === null ? t('paymentOf', { amount }) : t('invoiceOf', { number, amount });
  };
  return (
    <>
      {candidates.slice(0, candidatesMax).map((candidate) => (
        <div key={candidate.paymentId} className="bank-candidate">
          <CandidateText candidate={candidate} name={nameOf(candidate)} />
          <Button
            variant="default"
            size="compact-xs"
            aria-label={`${t('book')}: ${nameOf(candidate)}`}
            disabled={booking.isPending}
            onClick={() => booking.mutate([{ id, paymentId: candidate.paymentId }])}
          >
            {t('book')}
          </Button>
        </div>
      ))}
      {otherAccountIds.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('otherAccounts', { list: otherAccountIds.join(', '), count: otherAccountIds.length })}
        </Text>
      )}
    </>
  );
}

const parts = { amount: 'agreesAmount', number: 'agreesNumber', inn: 'agreesInn' } as const;

function CandidateText({ candidate, name }: { candidate: Candidate; name: string }) {
  const { accountId, agrees, isCanceled, isVerified } = candidate;
  const t = useTexts(bankTexts);
  const listOf = (wanted: boolean) =>
    (['amount', 'number', 'inn'] as const)
      .filter((part) => agrees[part] === wanted)
      .map((part) => t(parts[part]))
      .join(', ');
  const notes = [
    t('account', { id: accountId }),
    listOf(true) && t('agrees', { list: listOf(true) }),
    listOf(false) && t('differs', { list: listOf(false) }),
    isCanceled && t('orderCanceled'),
    !isVerified && t('unverified'),
  ];
  return (
    <span>
      {name}
      <Text size="xs" c="dimmed">
        {notes.filter(Boolean).join('; ')}
      </Text>
    </span>
  );
}
