/** The bank account that customers transfer to. */
import { readFile } from 'node:fs/promises';
import { GatewayError } from '../../../shared/errors.ts';

const accountLine = /^checkingAccount:\s*['"]?(\d{20})['"]?\s*$/m;

/** Throws GatewayError `not_found` where bank transfers are not configured. */
export async function readSellerAccount(sellerFile: string | undefined): Promise<string> {
  if (sellerFile === undefined) throw noBankTransfers();
  const [, account] = accountLine.exec(await readFile(sellerFile, 'utf8')) ?? [];
  if (account === undefined) throw noBankTransfers();
  return account;
}

export function noBankTransfers(): GatewayError {
  return new GatewayError('not_found', 'Bank transfers are not configured: SELLER_FILE names no bank account.');
}
