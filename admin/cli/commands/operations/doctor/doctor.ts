/** `gateway doctor`: checks everything that the gateway depends on, and gives advice for each problem. */
import { ConfigurationError } from '../../../../../shared/config/environment.ts';
import { loadAdminConfig } from '../../../../config/admin.ts';
import { readSellerOf } from '../../../../documents/seller/read-seller.ts';
import { ReceiptVat } from '../../../../payments/methods/yookassa/vat-codes.ts';
import { command } from '../../../command.ts';
import { checkPayments } from './check-payments.ts';
import { checkPostgres } from './check-postgres.ts';
import { checkPublicAddress } from './check-public-address.ts';
import { checkRedis } from './check-redis.ts';
import type { Finding } from './finding.ts';

const marks: Record<Finding['status'], string> = { ok: '✓', warn: '!', fail: '✗' };

export const doctor = command({
  description: 'Check configuration, clocks, Postgres, Redis, disks, keys, certificates and payment providers',
  args: {},
  run: async () => {
    const found = await Promise.all([
      checkConfiguration(),
      checkPostgres(),
      checkRedis(),
      checkAddresses(),
      checkPayments(),
    ]);
    const checks = found.flat();
    const failed = checks.some(({ status }) => status === 'fail');
    const text = checks.map(renderFinding).join('\n');
    return { text, object: { ok: !failed, checks }, failed };
  },
});

function renderFinding({ check, status, detail, advice }: Finding): string {
  const line = `${marks[status]} ${check}: ${detail}`;
  return advice === undefined || status === 'ok' ? line : `${line}\n    ${advice}`;
}

/** Is the configuration one that admin would start with? */
function checkConfiguration(): Finding[] {
  try {
    const { payments } = loadAdminConfig();
    const seller = readSellerOf(payments);
    if (payments.yookassa !== undefined) new ReceiptVat(payments.yookassa, seller);
    return [{ check: 'configuration', status: 'ok', detail: 'complete' }];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map((problem) => ({
      check: 'configuration',
      status: 'fail',
      detail: problem,
      advice: 'Correct the variable or its file; docs/configuration.md lists all of them.',
    }));
  }
}

async function checkAddresses(): Promise<Finding[]> {
  try {
    const { publicUrl, proxyPublicUrl } = loadAdminConfig();
    const origins = new Set([publicUrl, proxyPublicUrl].map((address) => new URL(address).origin));
    return (await Promise.all([...origins].map(checkPublicAddress))).flat();
  } catch (error) {
    // The configuration check reports what is wrong with the variable.
    if (error instanceof ConfigurationError) return [];
    throw error;
  }
}
