/** Cancels an order that will not be paid. */
import { notifyDone } from '../../../app/components/notify.ts';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { usePaid } from '../../../billing/payments/payment-words.tsx';
import { ReasonForm } from '../../account/dialogs/reason-form.tsx';
import { paymentsTexts } from '../payments-texts.ts';
import { cancelPayment } from '../queries.ts';
import { type DecisionProps, DecisionTitle, useDecision } from './decision.tsx';

export function CancelForm({ onClose, payment }: DecisionProps) {
  const t = useTexts(paymentsTexts);
  const paid = usePaid();
  const { idempotencyKey, refresh } = useDecision();
  const confirm = async (reason: string) => {
    await cancelPayment(payment.id, reason, idempotencyKey);
    onClose();
    notifyDone(t('cancelled'));
    await refresh();
  };
  return (
    <>
      <DecisionTitle>{t('cancelTitle', { amount: paid(payment.amount, payment.currency) })}</DecisionTitle>
      <ReasonForm
        text={t('cancelText')}
        confirmLabel={t('cancelPayment')}
        isDestructive
        onConfirm={confirm}
        onCancel={onClose}
      />
    </>
  );
}
