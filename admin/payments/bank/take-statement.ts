/** Takes an uploaded bank statement: read whole or not at all, stored, and each line with the order that it may pay. */
import { type FieldProblem, GatewayError } from '../../../shared/errors.ts';
import type { Database } from '../../database/connect.ts';
import type { Seller } from '../../documents/seller/read-seller.ts';
import { type MatchedLine, matchLines, saveLines } from './bank-lines.ts';
import { decodeStatement } from './decode-statement.ts';
import { parseStatement, statementMaxBytes } from './parse-statement.ts';
import { BankStatementError, describeProblem, type StatementProblem } from './statement-error.ts';

/** Throws GatewayError `invalid_bank_statement`, or `not_found` where bank transfers are not configured. */
export async function takeStatement(
  { database, seller }: { readonly database: Database; readonly seller: Seller | undefined },
  bytes: Uint8Array,
): Promise<readonly MatchedLine[]> {
  const account = seller?.party.checkingAccount;
  if (account === undefined) throw noBankTransfers();
  const lines = readStatement(bytes, account);
  return matchLines(database, await saveLines(database.sql, lines));
}

function readStatement(bytes: Uint8Array, account: string) {
  if (bytes.byteLength > statementMaxBytes) {
    throw invalidStatement([{ line: undefined, message: `the file has more than ${statementMaxBytes} bytes` }]);
  }
  try {
    return parseStatement(decodeStatement(bytes), account);
  } catch (error) {
    if (error instanceof BankStatementError) throw invalidStatement(error.problems);
    throw error;
  }
}

export function invalidStatement(problems: readonly StatementProblem[]): GatewayError {
  const listed = problems.map(
    (problem): FieldProblem => ({ param: 'file', code: 'invalid_bank_statement', message: describeProblem(problem) }),
  );
  const message = `The bank statement cannot be read: ${listed.map((problem) => problem.message).join('; ')}.`;
  return new GatewayError('invalid_bank_statement', message, { param: 'file', problems: listed });
}

export function noBankTransfers(): GatewayError {
  return new GatewayError('not_found', 'Bank transfers are not configured: SELLER_FILE is not set.');
}
