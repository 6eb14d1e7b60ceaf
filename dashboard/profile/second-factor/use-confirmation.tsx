/** What the API refuses until the user has confirmed who they are: asks them, then does it again. */
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../app/api/api-error.ts';
import { notifyFailed } from '../../app/components/notify.ts';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { ConfirmIdentityDialog } from './confirm-identity-dialog.tsx';

export interface Confirmation {
  /** Throws what `work` throws, also the refusal if the user does not confirm. */
  readonly confirmed: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** While it asks, other dialogs make room. */
  readonly isAsking: boolean;
  readonly dialog: ReactNode;
}

/** What each part of the section needs. */
export interface PartProps {
  readonly confirmation: Confirmation;
  /** After a change. With the first factor come recovery codes. */
  readonly onChanged: (recoveryCodes?: readonly string[] | null) => Promise<void>;
}

interface Question {
  answer(isConfirmed: boolean): void;
}

export function useConfirmation(): Confirmation {
  const [question, setQuestion] = useState<Question>();
  const ask = async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    setQuestion({ answer: resolve });
    const isConfirmed = await promise;
    setQuestion(undefined);
    return isConfirmed;
  };
  return {
    confirmed: async (work) => {
      try {
        return await work();
      } catch (error) {
        if (!isRefusal(error) || !(await ask())) throw error;
        return work();
      }
    },
    isAsking: question !== undefined,
    dialog: (
      <ConfirmIdentityDialog
        opened={question !== undefined}
        onConfirmed={() => question?.answer(true)}
        onClose={() => question?.answer(false)}
      />
    ),
  };
}

/** For what has no form to show its failure in. That the user has not confirmed is no news to them. */
export function useReportFailure(): (error: unknown) => void {
  const describe = useDescribeError();
  return (error) => {
    if (!isRefusal(error)) notifyFailed(describe(error));
  };
}

const isRefusal = (error: unknown) => error instanceof ApiError && error.code === 'confirmation_required';
