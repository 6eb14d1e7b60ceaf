/** A bank statement that cannot be read, with every mistake that was found and where. */

export interface StatementProblem {
  /** From 1; undefined if it is about the whole file. */
  readonly line: number | undefined;
  readonly message: string;
}

export class BankStatementError extends Error {
  override readonly name = 'BankStatementError';

  constructor(readonly problems: readonly StatementProblem[]) {
    super(problems.map(describeProblem).join('\n'));
  }
}

/** `line 12: 'Сумма' is missing` */
export function describeProblem({ line, message }: StatementProblem): string {
  return line === undefined ? message : `line ${line}: ${message}`;
}
